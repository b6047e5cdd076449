# Three link groups: plain (neither library), front (plain and SentencePiece) and torch (plain and LibTorch). Front and torch
# never meet in one program: Debian's SentencePiece and LibTorch bring two protobufs that crash before main in one process.
set(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL ON)  # a project that adds this one links them too
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(Threads REQUIRED)
find_package(ZLIB REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(SENTENCEPIECE REQUIRED IMPORTED_TARGET GLOBAL sentencepiece)
pkg_check_modules(HWY REQUIRED IMPORTED_TARGET GLOBAL libhwy)
pkg_check_modules(SNDFILE REQUIRED IMPORTED_TARGET GLOBAL sndfile)
pkg_check_modules(SAMPLERATE REQUIRED IMPORTED_TARGET GLOBAL samplerate)
pkg_check_modules(XXHASH REQUIRED IMPORTED_TARGET GLOBAL libxxhash)
find_package(OpenMP REQUIRED COMPONENTS CXX)
find_package(BLAS REQUIRED)
# Debian's libtorch and its dependants put every header in /usr/include, already a system directory.
find_package(Torch 1.13 REQUIRED)

# Compiles the files of a folder in groups of ten: headers, LibTorch's above all, cost more than the code of a file.
# tools/check_hidden_names.py sees to it that any group compiles. Highway compiles a file once per instruction set, by
# including it again, and so needs it alone.
function(plumb_group_sources folder)
  if(NOT PLUMB_UNITY OR folder MATCHES "^kernel(_test)?$")
    return()
  endif()
  set(count 0)
  foreach(source ${ARGN})
    math(EXPR group "${count} / 10")
    math(EXPR count "${count} + 1")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${folder}_${group})
  endforeach()
endfunction()

# A link group is one static library, made of all files of its folders; a folder is a list of files, nothing to register.
function(plumb_library name)
  cmake_parse_arguments(ARG "" "" "FOLDERS;LINK;PRIVATE" ${ARGN})
  set(sources)
  foreach(folder ${ARG_FOLDERS})
    file(GLOB_RECURSE found CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/plumb/${folder}/*.cpp)
    plumb_group_sources(${folder} ${found})
    list(APPEND sources ${found})
  endforeach()
  add_library(${name} STATIC ${sources})
  target_compile_features(${name} PUBLIC cxx_std_20)
  target_include_directories(${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src> $<INSTALL_INTERFACE:include>)
  set_target_properties(${name} PROPERTIES UNITY_BUILD ${PLUMB_UNITY} UNITY_BUILD_MODE GROUP PLUMB_FOLDERS "${ARG_FOLDERS}")
  # Private ones would go, with their include paths, into the command line and precompiled header of every other file.
  target_link_libraries(${name} PRIVATE $<BUILD_INTERFACE:plumb_options> PUBLIC ${ARG_LINK} PRIVATE ${ARG_PRIVATE})
endfunction()
