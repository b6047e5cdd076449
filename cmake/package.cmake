# cpack: two Debian packages, plumb (the programs) and libplumb-dev (the libraries). tools/check_package.sh tries the first.
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)  # tests are not packed, so they need not be built
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME plumb)
set(CPACK_PACKAGE_CONTACT "the authors of Plumb")
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/package)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL plumb libplumb-dev)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)

set(CPACK_COMPONENT_PLUMB_DESCRIPTION "${PROJECT_DESCRIPTION}")
set(CPACK_DEBIAN_PLUMB_PACKAGE_NAME plumb)
set(CPACK_DEBIAN_PLUMB_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PLUMB_PACKAGE_SHLIBDEPS ON)
# Any BLAS satisfies what the programs load; this build of OpenBLAS shares its threads with LibTorch.
set(CPACK_DEBIAN_PLUMB_PACKAGE_DEPENDS libopenblas0-openmp)

set(CPACK_COMPONENT_LIBPLUMB-DEV_DESCRIPTION "${PROJECT_DESCRIPTION}: libraries and headers")
set(CPACK_DEBIAN_LIBPLUMB-DEV_PACKAGE_NAME libplumb-dev)
set(CPACK_DEBIAN_LIBPLUMB-DEV_PACKAGE_SECTION libdevel)
string(JOIN ", " CPACK_DEBIAN_LIBPLUMB-DEV_PACKAGE_DEPENDS "plumb (= ${PROJECT_VERSION})" libtorch-dev libopenblas-openmp-dev
  libfmt-dev nlohmann-json3-dev zlib1g-dev libhwy-dev libsndfile1-dev libsamplerate0-dev libxxhash-dev pkg-config)
include(CPack)
