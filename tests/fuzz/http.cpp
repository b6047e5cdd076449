// The head of a request to `plumb watch`.

#include "plumb/report/http_request.h"

#include "fuzz_input.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace plumb;
  if (size > report::kLargestRequest) return 0;
  const report::HttpReply reply = report::answer_to(fuzz::as_text(data, size), 8080);
  if (report::status_line(reply.status).empty()) __builtin_trap();
  return 0;
}
