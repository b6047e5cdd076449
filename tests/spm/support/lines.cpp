#include "spm/support/lines.h"

namespace plumb {

const std::vector<std::string>& sample_lines() {
  static const std::vector<std::string> lines = [] {
    const std::vector<std::string> who = {"the quick brown fox", "a lazy dog",  "der alte Mann", "die Größe",
                                          "my neighbour's cat",  "das Mädchen", "東京の人",      "nobody"};
    const std::vector<std::string> does = {"jumps over", "sleeps under", "läuft durch", "überrascht", "sees", "は見る"};
    const std::vector<std::string> what = {"the fence.",  "12 houses!", "den Garten,",
                                           "die Straße?", "日本語",     "it all"};
    std::vector<std::string> made;
    for (const std::string& a : who) {
      for (const std::string& b : does) {
        for (const std::string& c : what) made.push_back(a + " " + b + " " + c);
      }
    }
    return made;
  }();
  return lines;
}

std::vector<std::string> odd_lines() {
  return {"",
          "a",
          ".",
          "the quick brown fox jumps over the lazy dog",
          "Straße, Größe, Mädchen: schön!",
          "привет мир",
          "مرحبا بالعالم",
          "שלום עולם",
          "नमस्ते दुनिया",
          "日本語のテキスト",
          "한국어 문장",
          "🙂 👍🏽 👨‍👩‍👧‍👦 🇩🇪",
          "𐍈 and 𝄞 are above the first plane",
          "<s> </s> <pad> <unk> <0x0A> ▅",
          "&lt;b&gt; @@ @-@ \\n %s {} \"' `",
          "1234567890 3.14159 1e-10 -0",
          "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
          std::string(5000, 'x')};
}

LineSource source_of(const std::vector<std::string>& lines) {
  return [&lines, next = size_t{0}](std::string& line) mutable {
    if (next == lines.size()) return false;
    line = lines[next++];
    return true;
  };
}

}  // namespace plumb
