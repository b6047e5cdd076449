// Small models that the tests of the oracle share.
#pragma once

#include <string>
#include <vector>

#include "oracle/oracle.h"

namespace oracle {

const std::vector<std::string>& all_variants();

inline const std::vector<int> kSource = {3, 5, 1, 4, 2};
inline const std::vector<int> kTarget = {2, 6, 0, 3};

// Both stacks of the same variant, 3 encoder and 2 decoder layers.
Config config_of(const std::string& form, const std::string& variant);

// Every variant with every form and option, so that each planted bug has a chance to show.
std::vector<Config> many_configs();

// Logits of kSource and kTarget.
Matrix run(const Config& config, const Weights& weights, Bug bug = Bug::None);
Matrix run(const Config& config, Bug bug = Bug::None);

// Sets every tensor whose name contains `part`.
Weights with(Weights weights, const std::string& part, double value);

double difference(const Matrix& a, const Matrix& b);  // the largest; infinite for different shapes or NaN

}  // namespace oracle
