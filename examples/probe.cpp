// Forecasts whether the model of a config will train, before its first update: probe CONFIG [key=value]...

#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include <plumb/probe/session.h>

int main(int argc, char** argv) try {
  if (argc < 2) {
    std::fprintf(stderr, "usage: probe CONFIG [key=value]...\n");
    return 2;
  }
  const std::vector<std::string> settings(argv + 2, argv + argc);
  const plumb::probe::Session session({.what = argv[1], .overrides = settings});
  const plumb::probe::Results results = session.run();
  const plumb::probe::Forecast& forecast = results.variants.front().forecast.value();
  std::printf("%s", plumb::probe::in_words(forecast).c_str());
  std::printf("will train: %s\n", forecast.will_train ? "yes" : "no");
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
