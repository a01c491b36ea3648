# `cmake --install`: the command with its manual page and shell completion, the library, its headers, and the package that
# find_package(hinge) reads.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/hinge)

set_target_properties(libhinge PROPERTIES EXPORT_NAME hinge)
install(TARGETS hinge)
install(TARGETS libhinge EXPORT hinge INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT hinge NAMESPACE hinge:: FILE hingeTargets.cmake DESTINATION ${package_dir})
install(DIRECTORY hinge/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/hinge FILES_MATCHING PATTERN "*.h" PATTERN "*-inl.h" EXCLUDE)

configure_package_config_file(cmake/hingeConfig.cmake.in ${CMAKE_BINARY_DIR}/hingeConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/hingeConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/hingeConfig.cmake ${CMAKE_BINARY_DIR}/hingeConfigVersion.cmake DESTINATION ${package_dir})

# The program writes its own manual page and completion scripts. One that cannot run here, when cross-compiling, has none.
if(NOT CMAKE_CROSSCOMPILING)
  set(share ${CMAKE_BINARY_DIR}/share)
  add_custom_command(TARGET hinge POST_BUILD VERBATIM COMMAND ${CMAKE_COMMAND} -E make_directory ${share}
    COMMAND hinge docs --man > ${share}/hinge.1
    COMMAND hinge docs --completion bash > ${share}/hinge.bash
    COMMAND hinge docs --completion zsh > ${share}/hinge.zsh
    COMMAND hinge docs --completion fish > ${share}/hinge.fish)
  install(FILES ${share}/hinge.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(FILES ${share}/hinge.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME hinge)
  install(FILES ${share}/hinge.zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions RENAME _hinge)
  install(FILES ${share}/hinge.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
# Libraries of headers, compiled in; shared ones bring their own licences. scripts/bundled-licences has the same list.
foreach(package libabsl-dev libcli11-dev libeigen3-dev libtomlplusplus-dev nlohmann-json3-dev)
  if(EXISTS /usr/share/doc/${package}/copyright)
    install(FILES /usr/share/doc/${package}/copyright RENAME ${package}.copyright DESTINATION ${CMAKE_INSTALL_DOCDIR}/licences)
  endif()
endforeach()
