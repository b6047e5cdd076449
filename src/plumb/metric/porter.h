#pragma once

#include <string>
#include <string_view>

namespace plumb {

/// The stem of an English word in lower case (Porter 1980, "An algorithm for suffix stripping"), with the changes of
/// NLTK's stemmer, which the package rouge-score uses: a dozen words of their own ("dying" is "die"), "dies" is "die"
/// while "flies" is "fli", y becomes i after a consonant only ("enjoy" stays), and words of one or two letters stay.
std::string porter_stem(std::string_view word);

}  // namespace plumb
