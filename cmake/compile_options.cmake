# What every file of ours is compiled with. Headers of libraries are SYSTEM and keep their own warnings.
if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Release, RelWithDebInfo or Debug" FORCE)
endif()
find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
endif()
find_program(MOLD mold)
if(MOLD)
  add_link_options(-fuse-ld=mold)
endif()

add_library(plumb_options INTERFACE)
target_compile_options(plumb_options INTERFACE
  -Wall -Wextra -Wconversion -Wno-sign-conversion $<$<BOOL:${PLUMB_WERROR}>:-Werror>
  -Wno-restrict  # fires falsely on "text" + std::string in g++ 12
  # and this one on a std::span of constants in g++ 14; g++ 12 does not know it
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_GREATER_EQUAL:$<CXX_COMPILER_VERSION>,13>>:-Wno-dangling-reference>)
target_compile_definitions(plumb_options INTERFACE PLUMB_VERSION="${PROJECT_VERSION}")

if(PLUMB_SANITIZE)
  add_compile_options(-fsanitize=${PLUMB_SANITIZE} -fno-omit-frame-pointer)
  if(PLUMB_SANITIZE MATCHES undefined)
    add_compile_options(-fno-sanitize-recover=undefined)
  endif()
  add_link_options(-fsanitize=${PLUMB_SANITIZE})
endif()
