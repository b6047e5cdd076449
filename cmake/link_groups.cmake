# Three link groups that never mix: plain (neither library), spm (SentencePiece) and torch (LibTorch). The kernels are
# plain code for SIMD: they know no tensors, so they compile in a second. Audio files are read by plain code too: the
# front writes and measures them, the engine makes features of them.
# Debian's SentencePiece and LibTorch bring two protobufs that crash before main in one process.
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(Threads REQUIRED)
find_package(ZLIB REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(SENTENCEPIECE REQUIRED IMPORTED_TARGET sentencepiece)
pkg_check_modules(HWY REQUIRED IMPORTED_TARGET libhwy)
pkg_check_modules(SNDFILE REQUIRED IMPORTED_TARGET sndfile)
pkg_check_modules(SAMPLERATE REQUIRED IMPORTED_TARGET samplerate)
find_package(OpenMP REQUIRED COMPONENTS CXX)
find_package(BLAS REQUIRED)
# Debian's libtorch and its dependants put every header in /usr/include, already a system directory.
find_package(Torch 1.13 REQUIRED)

# The folders of a link group are one static library each group; a folder is a list of files, nothing to register.
function(plumb_library name)
  cmake_parse_arguments(ARG "" "" "FOLDERS;LINK" ${ARGN})
  set(sources)
  foreach(folder ${ARG_FOLDERS})
    file(GLOB_RECURSE found CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/plumb/${folder}/*.cpp)
    if(folder MATCHES "^(text|ops|speech)$")  # text/spm, ops/kernel and speech/audio are groups of their own
      list(FILTER found EXCLUDE REGEX "/text/spm/|/ops/kernel/|/speech/audio/")
    endif()
    list(APPEND sources ${found})
  endforeach()
  add_library(${name} STATIC ${sources})
  target_link_libraries(${name} PUBLIC plumb_options ${ARG_LINK})
endfunction()
