# SPDX-License-Identifier: Apache-2.0
# What `cpack` makes of a build folder. The .deb is of the dynamic program and depends on the libraries that it was
# linked with; the .rpm is of the static one, as Debian's library names are not those of other distributions.
set(CPACK_PACKAGE_NAME pprofgate)
set(CPACK_PACKAGE_VENDOR "The pprofgate authors")
set(CPACK_PACKAGE_CONTACT "The pprofgate authors <pprofgate@users.noreply.github.com>")
set(CPACK_PACKAGE_HOMEPAGE_URL "https://github.com/pprofgate/pprofgate")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "deploy gate that compares pprof profiles")
set(CPACK_PACKAGE_DESCRIPTION "Compares a canary's profile with the baseline's, judges the difference by budgets, and\
 ends with pass, fail or inconclusive: for CI, canary analysis, and before a merge.")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_GENERATOR TGZ)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "ca-certificates, git")
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/packaging/debian.cmake
  ${PROJECT_SOURCE_DIR}/packaging/rpm.cmake)
set(CPACK_PPROFGATE_STAGE ${PROJECT_BINARY_DIR}/stage) # of packaging/static.sh
if(NOT PPROFGATE_STATIC)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
endif()
if(GATE_LIBCURL_NAME) # dpkg-shlibdeps sees what is linked alone
  set(CPACK_DEBIAN_PACKAGE_DEPENDS "${GATE_LIBCURL_DEBIAN}")
endif()

set(CPACK_RPM_FILE_NAME RPM-DEFAULT)
set(CPACK_RPM_PACKAGE_LICENSE "Apache-2.0")
set(CPACK_RPM_PACKAGE_ARCHITECTURE ${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_RPM_PACKAGE_AUTOREQ OFF)
set(CPACK_RPM_SPEC_MORE_DEFINE "%global _build_id_links none
%global __strip /bin/true
%global __brp_strip /bin/true
%global use_source_date_epoch_as_buildtime 1
%global _buildhost localhost")
include(CPack)
