// Constants that follow from the depth and the width alone.
#pragma once

#include <cstddef>
#include <string>

namespace oracle {

double b2t_no_ln_alpha(std::size_t layers);  // mathematics.md 3.6
double b2t_no_ln_beta(std::size_t width);

// mathematics.md 3.9; `form` as in Config.
double deepnorm_alpha(const std::string& form, bool encoder, std::size_t encoder_layers, std::size_t decoder_layers);

// mathematics.md 4.9: how many of the first layers are Post-LN.
std::size_t mix_ln_post_layers(double fraction, std::size_t layers);

}  // namespace oracle
