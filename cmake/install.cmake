# `cmake --install`: the command, the library, its headers, and the package that find_package(hinge) reads.
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
