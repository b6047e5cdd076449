#pragma once

#include <string>

namespace plumb::kernel {

/// The instruction set that the kernels use on this machine: "AVX2", "NEON", ...
std::string simd_name();

}  // namespace plumb::kernel
