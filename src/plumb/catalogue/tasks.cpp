#include "plumb/catalogue/tasks.h"

#include <array>

namespace plumb {
namespace {

using enum TaskRow::Shape;

constexpr std::string_view kPerWordAndByte[] = {"ppl_word", "ppl_byte", "bits_per_byte"};

// clang-format off
constexpr TaskRow kTasks[] = {
    {.kind = TaskKind::Translation, .name = "translation", .shape = Pairs, .form = Form::EncoderDecoder, .built_in = Corpus::Numbers, .metric = "bleu",
     .paper = "Xiong et al. 2020, Liu et al. 2020, Takase et al. 2022 Table 1",
     .summary = "one sentence to another"},
    {.kind = TaskKind::Summarisation, .name = "summarisation", .shape = Pairs, .form = Form::EncoderDecoder, .built_in = Corpus::Headline, .metric = "rouge",
     .paper = "Takase et al. 2022 Table 2",
     .summary = "a text to its headline"},
    {.kind = TaskKind::LanguageModel, .name = "language_model", .shape = Text, .form = Form::Decoder, .built_in = Corpus::Numbers, .metric = "",
     .numbers = kPerWordAndByte,
     .paper = "Takase et al. 2022 Table 3",
     .summary = "the next token of a text"},
    {.kind = TaskKind::MaskedLm, .name = "masked_lm", .shape = Text, .form = Form::Encoder, .head = HeadKind::MaskedWords, .mask_token = true, .segments = 2,
     .built_in = Corpus::Numbers, .metric = "",
     .paper = "Xiong et al. 2020 Fig. 5",
     .summary = "the masked tokens of a text (BERT), and whether one half follows the other"},
    {.kind = TaskKind::Classification, .name = "classification", .shape = Labels, .form = Form::Encoder, .head = HeadKind::Classes, .mask_token = true, .segments = 2,
     .built_in = Corpus::Numbers, .metric = "accuracy",
     .paper = "Xiong et al. 2020 Fig. 5",
     .summary = "the label of a sentence or of a pair of sentences (MRPC, RTE)"},
    {.kind = TaskKind::Speech, .name = "speech", .shape = Audio, .form = Form::EncoderDecoder, .input = InputKind::Frames, .built_in = Corpus::Morse,
     .metric = "wer",
     .paper = "Takase et al. 2022 Table 4",
     .summary = "recorded speech to text"},
};
// clang-format on

constexpr bool in_the_order_of_the_tasks() {
  for (size_t i = 0; i < std::size(kTasks); ++i) {
    if (static_cast<size_t>(kTasks[i].kind) != i) return false;
  }
  return true;
}
static_assert(in_the_order_of_the_tasks());

constexpr auto kTaskNames = [] {
  std::array<std::string_view, std::size(kTasks)> names;
  for (size_t i = 0; i < names.size(); ++i) names[i] = kTasks[i].name;
  return names;
}();

}  // namespace

std::span<const TaskRow> tasks() {
  return kTasks;
}

const TaskRow& task_row(TaskKind task) {
  return kTasks[static_cast<size_t>(task)];
}

template <>
std::span<const std::string_view> words<TaskKind>() {
  return kTaskNames;
}

TaskKind usual_task(Form form) {
  switch (form) {
    case Form::Decoder:
      return TaskKind::LanguageModel;
    case Form::Encoder:
      return TaskKind::MaskedLm;
    case Form::EncoderDecoder:
      break;
  }
  return TaskKind::Translation;
}

}  // namespace plumb
