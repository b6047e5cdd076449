// The bytes of a SentencePiece model, before libsentencepiece gets them.

#include "plumb/spm/model_check.h"

#include "fuzz_input.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  (void)plumb::spm_model_problem(plumb::fuzz::as_text(data, size));
  return 0;
}
