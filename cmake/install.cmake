# cmake --install: the programs with their man page and completion (component plumb), and the libraries with their
# headers and PlumbConfig.cmake (component libplumb-dev). The front's library is not among them: it has no public header.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS plumb plumb-engine RUNTIME COMPONENT plumb)  # in one folder: each finds the other beside itself

# Both know every command, so they are written by the programs themselves.
set(man_page ${PROJECT_BINARY_DIR}/share/plumb.1)
set(completion ${PROJECT_BINARY_DIR}/share/plumb.bash)
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/share)
add_custom_command(OUTPUT ${man_page} ${completion}
  COMMAND plumb help --man > ${man_page}
  COMMAND plumb help --completion > ${completion}
  DEPENDS plumb plumb-engine)
add_custom_target(plumb_documents ALL DEPENDS ${man_page} ${completion})
install(FILES ${man_page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT plumb)
install(FILES ${completion} DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME plumb COMPONENT plumb)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/configs DESTINATION ${CMAKE_INSTALL_DATADIR}/plumb COMPONENT plumb)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/plumb RENAME copyright COMPONENT plumb)

set_target_properties(plumb_torch PROPERTIES EXPORT_NAME plumb)
set_target_properties(plumb_plain PROPERTIES EXPORT_NAME plain)
install(TARGETS plumb_plain plumb_torch EXPORT PlumbTargets ARCHIVE COMPONENT libplumb-dev)
# All of their headers, since public ones include others; cmake/public_headers.txt says which are public.
get_target_property(plain_folders plumb_plain PLUMB_FOLDERS)
get_target_property(torch_folders plumb_torch PLUMB_FOLDERS)
foreach(folder ${plain_folders} ${torch_folders})
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/src/plumb/${folder} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/plumb
    COMPONENT libplumb-dev FILES_MATCHING PATTERN *.h PATTERN *-inl.h EXCLUDE)
endforeach()

set(config_folder ${CMAKE_INSTALL_LIBDIR}/cmake/Plumb)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/PlumbConfig.cmake.in ${PROJECT_BINARY_DIR}/PlumbConfig.cmake
  INSTALL_DESTINATION ${config_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/PlumbConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/PlumbConfig.cmake ${PROJECT_BINARY_DIR}/PlumbConfigVersion.cmake
  DESTINATION ${config_folder} COMPONENT libplumb-dev)
install(EXPORT PlumbTargets NAMESPACE Plumb:: DESTINATION ${config_folder} COMPONENT libplumb-dev)
