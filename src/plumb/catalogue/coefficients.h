#pragma once

#include "plumb/catalogue/terms.h"

/// Initialisation multipliers of the rows that have one: what the base regime's weight is multiplied by.
namespace plumb {

struct VariantOptions;

double t_fixup_multiplier(Role role, const Place& place, Regime regime, const VariantOptions& options);
double deepnorm_multiplier(Role role, const Place& place, Regime regime, const VariantOptions& options);
double b2t_multiplier(Role role, const Place& place, Regime regime, const VariantOptions& options);
double ds_init_multiplier(Role role, const Place& place, Regime regime, const VariantOptions& options);
double sub_ln_multiplier(Role role, const Place& place, Regime regime, const VariantOptions& options);
double fixup_multiplier(Role role, const Place& place, Regime regime, const VariantOptions& options);
double ln_scaling_multiplier(Role role, const Place& place, Regime regime, const VariantOptions& options);

}  // namespace plumb
