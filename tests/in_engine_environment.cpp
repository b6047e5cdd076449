// in_engine_environment COMMAND...: runs a program as `plumb` runs its engine. Libraries read these variables when they
// are loaded, so a test program cannot set them for itself.

#include <cerrno>
#include <cstdio>
#include <cstring>

#include <unistd.h>

#include "plumb/process/engine_environment.h"

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fputs("usage: in_engine_environment COMMAND...\n", stderr);
    return 2;
  }
  plumb::set_engine_environment();
  execvp(argv[1], argv + 1);
  std::fprintf(stderr, "%s: %s\n", argv[1], std::strerror(errno));
  return 127;
}
