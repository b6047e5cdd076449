#pragma once

namespace plumb {

/// What a person can do about a file that cannot be written, by the errno of what failed. For DiskError.
const char* disk_remedy(int error_number);

}  // namespace plumb
