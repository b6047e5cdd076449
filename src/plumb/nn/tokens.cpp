#include "plumb/nn/tokens.h"

namespace plumb {

Tokens Tokens::to(const Where& where) const {
  return {where.bring(ids), rows, where.bring(segments), where.bring(frames)};
}

Batch Batch::to(const Where& where) const {
  return {source.to(where), target.to(where)};
}

}  // namespace plumb
