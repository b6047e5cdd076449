// The one precompiled header of the torch side: parsing ATen costs about nine seconds a file without it.
// Files still include what they use; this only makes it cheap.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <ATen/ATen.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/variable.h>
