#include "plumb/base/disk_remedy.h"

#include <cerrno>

namespace plumb {

const char* disk_remedy(int error_number) {
  switch (error_number) {
    case ENOSPC:
    case EDQUOT:
      return "Free some space, or write to another disk";
    case EFBIG:
      return "Raise the limit on file sizes (ulimit -f)";
    case EACCES:
    case EPERM:
    case EROFS:
      return "Choose a directory that you may write to";
    case ENOENT:
    case ENOTDIR:
      return "Create the directory first";
    case EISDIR:
      return "Choose the name of a file";
    default:
      return "Check the disk, or write elsewhere";
  }
}

}  // namespace plumb
