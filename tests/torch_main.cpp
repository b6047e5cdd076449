#include <ATen/Parallel.h>
#include <gtest/gtest.h>

// Tiny tensors gain nothing from threads, and ctest already runs one program per core.
int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  at::set_num_threads(1);
  return RUN_ALL_TESTS();
}
