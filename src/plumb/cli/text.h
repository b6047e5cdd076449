#pragma once

/// The parts of `plumb text`. `argv[0]` is "text" and the name of the part.
namespace plumb {

int text_train(int argc, char** argv);
int text_dictionary(int argc, char** argv);
int text_encode(int argc, char** argv);
int text_decode(int argc, char** argv);
int text_vocab(int argc, char** argv);
int text_serve(int argc, char** argv);

}  // namespace plumb
