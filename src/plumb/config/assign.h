#pragma once

#include "plumb/config/config.h"
#include "plumb/config/setting.h"

namespace plumb {

/// Gives one field its value. Throws UserError if there is no such key or the value does not fit it.
void assign(Config& config, const Setting& setting);

}  // namespace plumb
