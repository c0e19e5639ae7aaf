# Install the library, its interface units and the package files for `find_package(pecs)`.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(pecs_package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/pecs")

install(TARGETS pecs EXPORT pecs-targets
    ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
    FILE_SET CXX_MODULES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/pecs/modules")
install(EXPORT pecs-targets
    NAMESPACE pecs::
    DESTINATION "${pecs_package_dir}"
    CXX_MODULES_DIRECTORY modules)

configure_package_config_file(cmake/pecs-config.cmake.in "${PROJECT_BINARY_DIR}/pecs-config.cmake"
    INSTALL_DESTINATION "${pecs_package_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/pecs-config-version.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/pecs-config.cmake" "${PROJECT_BINARY_DIR}/pecs-config-version.cmake"
    DESTINATION "${pecs_package_dir}")
