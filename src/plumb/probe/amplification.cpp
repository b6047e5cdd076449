// The amplification effect (Liu et al. 2020, Theorem 2, Fig. 4): how the output's shift grows with the number of
// sub-layers, like N or like log N.

#include <cmath>
#include <string>

#include "plumb/probe/probe.h"
#include "plumb/probe/shift.h"

namespace plumb::probe {

void amplification(const Subject& subject, Readings& out) {
  const ModelConfig& model = subject.model();
  for (Stack stack : subject.stacks()) {
    const Labels labels = {{"stack", std::string(word(stack))}};
    for (int depth : subject.depths()) {
      const bool encoder = stack == Stack::Encoder;
      const Subject deeper =
          subject.with_depth(encoder ? depth : model.encoder_layers, encoder ? model.decoder_layers : depth);
      const OutputShift shift = output_shift(deeper, stack);
      const double sublayers = deeper.model().shape().sublayers(stack);
      out.add("random", labels, "sublayers", sublayers, shift.random);
      out.add("adam", labels, "sublayers", sublayers, shift.adam);
      out.add("adam_relative", labels, "sublayers", sublayers, shift.relative_rate());
    }
  }
}

void fit_amplification(const std::vector<Curve>& means, Readings& out) {
  for (const Curve& curve : means) {
    if ((curve.number != "random" && curve.number != "adam") || curve.points.size() < 3) continue;
    std::vector<double> logs;
    for (double sublayers : curve.places()) logs.push_back(std::log(sublayers));
    Labels labels = curve.labels;
    labels.emplace_back("by", curve.number);
    out.add("r2_linear", labels, fit_line(curve.places(), curve.means()).r2);
    out.add("r2_log", labels, fit_line(logs, curve.means()).r2);
  }
}

}  // namespace plumb::probe
