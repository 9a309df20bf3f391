# SPDX-License-Identifier: Apache-2.0
"""pprofgate for machines without a native program: the WebAssembly build, run by the package wasmtime."""
