#pragma once

#include <string>
#include <string_view>

namespace plumb {

/// What is wrong with the bytes of a .model file, in words that follow its name; empty if nothing is. libsentencepiece
/// believes the table of its normaliser (precompiled_charsmap): a wrong size or offset in it is a read outside of
/// memory. So that table is followed here, every step that a text could make it take; cut files and scores that are no
/// numbers are found too. Costs a few milliseconds for a large vocabulary.
std::string spm_model_problem(std::string_view bytes);

}  // namespace plumb
