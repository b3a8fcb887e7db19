package io.volute.server.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.config.key.Key;
import io.volute.testkit.GeneratedPage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Renders the reference page and the example file from the keys. */
class SettingsReferenceTest {
    private static final int COLUMNS = 100;

    private static String table(Key.Section section) {
        return GeneratedPage.table(
                List.of("Key", "Default", "Values", "Meaning", "When to change it"),
                section.keys().stream().map(SettingsReferenceTest::row).toList());
    }

    private static List<String> row(Key<?> key) {
        return List.of(
                "`" + key.name() + "`",
                key.defaultText().isEmpty() ? "none" : "`" + key.defaultText() + "`",
                values(key),
                key.meaning(),
                key.occasion());
    }

    private static String fields(List<Key.Section> types) {
        List<String> header = List.of("Type", "Field", "Default", "Values", "Meaning");
        // The only type has no column.
        int first = types.size() > 1 ? 0 : 1;
        return GeneratedPage.table(
                header.subList(first, header.size()),
                types.stream()
                        .flatMap(type -> type.keys().stream().map(key -> field(type, key)))
                        .map(cells -> cells.subList(first, cells.size()))
                        .toList());
    }

    private static List<String> field(Key.Section type, Key<?> key) {
        boolean isRequired = key.type().parser().parse(key.defaultText()).isEmpty();
        List<String> cells = row(key);
        return List.of(
                type.name(),
                cells.get(0),
                isRequired ? "required" : cells.get(1),
                cells.get(2),
                cells.get(3));
    }

    /** Returns the keys with their defaults, as a file that a server reads. */
    private static String file() {
        StringBuilder file = new StringBuilder();
        for (Key.Section section : Keys.sections()) {
            file.append("# ---- ").append(section.name()).append("\n\n");
            for (Key<?> key : section.keys()) {
                comment(file, Key.plain(key.meaning()));
                comment(file, "Values: " + Key.plain(values(key)));
                file.append(key.name()).append(" = ").append(value(key)).append("\n\n");
            }
        }
        return file.toString();
    }

    private static void comment(StringBuilder file, String text) {
        String line = "#";
        for (String word : text.split(" ")) {
            if (line.length() + 1 + word.length() > COLUMNS) {
                file.append(line).append('\n');
                line = "#";
            }
            line += " " + word;
        }
        file.append(line).append('\n');
    }

    private static String values(Key<?> key) {
        String values = key.type().values();
        return values.startsWith("one of ")
                ? "`" + values.substring("one of ".length()).replace(", ", "`, `") + "`"
                : values;
    }

    private static String value(Key<?> key) {
        if (key.type().isObjects()) {
            return "[]";
        }
        String text = key.defaultText();
        return text.matches("[A-Za-z0-9][A-Za-z0-9 .-]*") ? text : '"' + text + '"';
    }

    @Test
    void thePageHasAllKeys() throws IOException {
        GeneratedPage page = GeneratedPage.of("docs/reference/settings.md");
        Keys.sections().forEach(section -> page.part(section.name(), table(section)));
        page.part("targets of notifications", fields(NotificationConfig.TargetFields.SECTIONS));
        page.part(
                "targets of replication", fields(List.of(ReplicationConfig.TargetFields.SECTION)));
        page.part("fields of users", fields(List.of(UserFields.SECTION)));
        page.check();
    }

    @Test
    void theExampleFileHasAllKeys() throws IOException {
        GeneratedPage.of("docs/reference/volute.conf").part("keys", file()).check();
    }

    @Test
    void theExampleFileMeansTheDefaults(@TempDir Path directory) throws Exception {
        Path example = Files.writeString(directory.resolve("volute.conf"), file());
        assertThat(ConfigSource.read(Optional.of(example), Map.of(), Map.of()))
                .isEqualTo(ConfigSource.read(Optional.empty(), Map.of(), Map.of()));
    }

    @Test
    void everyKeyHasItsTexts() {
        assertThat(Keys.all().values())
                .allSatisfy(
                        key -> {
                            assertThat(key.meaning()).as(key.name()).matches("[A-Z`\\[].*[.]");
                            assertThat(key.occasion()).as(key.name()).matches("[A-Z`\\[].*[.]");
                        });
        int all = Keys.sections().stream().mapToInt(each -> each.keys().size()).sum();
        assertThat(Keys.all()).as("no key is declared twice").hasSize(all);
    }
}
