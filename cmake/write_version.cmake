# cmake -DOUTPUT=version.cpp -DSOURCE=folder -DVERSION=0.1.0 -P write_version.cmake
# Runs with every build and writes only what changed. Without git, or in an unpacked archive, there is no commit.
find_program(GIT git)
set(commit "")
if(GIT AND EXISTS ${SOURCE}/.git)
  # The checkout may belong to another user (CI, a container): git would refuse to read it.
  set(git ${GIT} -c safe.directory=* --no-optional-locks -C ${SOURCE})
  execute_process(COMMAND ${git} rev-parse --short=12 HEAD
    OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  execute_process(COMMAND ${git} status --porcelain --untracked-files=no OUTPUT_VARIABLE changes ERROR_QUIET)
  if(commit AND changes)
    string(APPEND commit "-dirty")
  endif()
endif()
set(source "// Written by cmake/write_version.cmake.
#include \"plumb/base/version.h\"

namespace plumb {

std::string_view version() {
  return \"${VERSION}\";
}

std::string_view commit() {
  return \"${commit}\";
}

}  // namespace plumb
")
set(before "")
if(EXISTS ${OUTPUT})
  file(READ ${OUTPUT} before)
endif()
if(NOT before STREQUAL source)
  file(WRITE ${OUTPUT} "${source}")
endif()
