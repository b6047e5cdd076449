#pragma once

#include <span>
#include <string_view>

#include "plumb/catalogue/terms.h"

namespace plumb {

/// One thing to learn: `task = "..."`. plumb/task/<name>.cpp turns its examples into tensors and its outputs into text.
struct TaskRow {
  /// What a split of its data is, and so how `plumb prepare` reads it.
  enum class Shape {
    Pairs,   // two texts, line by line
    Text,    // one text
    Labels,  // a table: a label and one or two sentences a line
    Audio,   // a table: an audio file and its transcript a line
  };

  TaskKind kind;
  std::string_view name;
  Shape shape;
  Form form;
  HeadKind head = HeadKind::Words;
  InputKind input = InputKind::Tokens;
  bool mask_token = false;                         // its vocabulary has one id more, the last: the mask
  int segments = 0;                                // segment embeddings, unless the config says otherwise
  Corpus built_in;                                 // data that needs no file
  std::string_view metric;                         // what people score its output with; empty: nothing but the loss
  std::span<const std::string_view> numbers = {};  // of its validations, beside loss, nll and ppl
  std::string_view paper;
  std::string_view summary;
};

/// Every task, in the order of TaskKind.
std::span<const TaskRow> tasks();
const TaskRow& task_row(TaskKind task);

/// The task that a model of this form is trained for when nobody says more.
TaskKind usual_task(Form form);

template <>
std::span<const std::string_view> words<TaskKind>();

}  // namespace plumb
