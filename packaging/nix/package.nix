# SPDX-License-Identifier: Apache-2.0
{ lib, stdenv, cmake, ninja, pkg-config, protobufc, zlib, zstd, libdeflate, libyaml, pcre2, jansson, xxHash, curl, elfutils, libiberty, libseccomp }:

stdenv.mkDerivation {
  pname = "pprofgate";
  version = builtins.head (builtins.match ".*project\\(pprofgate VERSION ([0-9.]+).*" (builtins.readFile ../../CMakeLists.txt));
  src = lib.cleanSource ../..;
  nativeBuildInputs = [ cmake ninja pkg-config protobufc ];
  buildInputs = [ protobufc zlib zstd libdeflate libyaml pcre2 jansson xxHash curl elfutils libiberty libseccomp ];
  cmakeFlags = [ "-DPPROFGATE_TESTS=OFF" "-DPPROFGATE_LIBCURL=${lib.getLib curl}/lib/libcurl.so.4" ];
  meta = {
    description = "Deploy gate that compares pprof profiles";
    homepage = "https://github.com/pprofgate/pprofgate";
    license = lib.licenses.asl20;
    mainProgram = "pprofgate";
    platforms = lib.platforms.linux;
  };
}
