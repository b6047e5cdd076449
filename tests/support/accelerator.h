#pragma once

#include <cstdint>

#include <c10/core/Device.h>

/// What tests of several folders share.
namespace plumb::test {

/// A device that is not the CPU and that every machine has: LibTorch's PrivateUse1, whose ops are LibTorch's CPU
/// fallback. Its memory can be touched only while LibTorch copies from it or to it: whoever takes a data pointer of one
/// of its tensors and follows it ends by a signal, as on a GPU. A computation that runs here keeps to ATen; it gives
/// the bits of the CPU's reference path, because the same kernels see the same numbers in the same order.
c10::Device accelerator();

/// How many ops ran there so far, in this process.
int64_t accelerator_ops();

}  // namespace plumb::test
