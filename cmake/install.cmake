# Headers, the CMake package, the pkg-config file and a Debian package. Nothing here depends on the architecture.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(package_dir ${CMAKE_INSTALL_DATADIR}/cmake/polyrope)

install(TARGETS polyrope EXPORT polyrope FILE_SET HEADERS FILE_SET bodies)
install(EXPORT polyrope NAMESPACE polyrope:: FILE polyrope-targets.cmake DESTINATION ${package_dir})

file(WRITE ${PROJECT_BINARY_DIR}/polyrope-config.cmake
    "include(\"\${CMAKE_CURRENT_LIST_DIR}/polyrope-targets.cmake\")\n")
write_basic_package_version_file(${PROJECT_BINARY_DIR}/polyrope-config-version.cmake
    COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(FILES
    ${PROJECT_BINARY_DIR}/polyrope-config.cmake
    ${PROJECT_BINARY_DIR}/polyrope-config-version.cmake
    DESTINATION ${package_dir})

configure_file(${CMAKE_CURRENT_LIST_DIR}/polyrope.pc.in ${PROJECT_BINARY_DIR}/polyrope.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/polyrope.pc DESTINATION ${CMAKE_INSTALL_DATADIR}/pkgconfig)

install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

if(PROJECT_IS_TOP_LEVEL)
    set(CPACK_GENERATOR DEB)
    set(CPACK_PACKAGE_NAME libpolyrope-dev)
    set(CPACK_PACKAGE_CONTACT "polyrope developers")
    set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE all)
    set(CPACK_DEBIAN_PACKAGE_SECTION libdevel)
    set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
    set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
    include(CPack)
endif()
