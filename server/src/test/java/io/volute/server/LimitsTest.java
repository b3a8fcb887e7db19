package io.volute.server;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Checks that docs/reference/limits.md agrees with {@link Limits}, and that the server has no limit
 * elsewhere.
 */
class LimitsTest {
    /** A row of a table: the subject, the value, then anything, and last the constant. */
    private static final Pattern ROW =
            Pattern.compile("\\| [^|]* \\| ([^|]+) \\|.*\\| `([A-Z_]+)` \\|");

    private static final List<String> UNITS = List.of("B", "KiB", "MiB", "GiB", "TiB");

    private record Row(String name, String value) {}

    @Test
    void theDocumentNamesEveryConstantWithItsValue() throws IOException {
        List<Row> rows = rows();
        for (Field constant : constants()) {
            String expected = shown(constant);
            assertThat(rows)
                    .as("rows of %s in docs/reference/limits.md", constant.getName())
                    .filteredOn(row -> row.name().equals(constant.getName()))
                    .isNotEmpty()
                    .allMatch(
                            row -> row.value().matches(Pattern.quote(expected) + "([^0-9,].*)?"),
                            "begins with " + expected);
        }
    }

    @Test
    void theDocumentNamesNoConstantThatIsGone() throws IOException {
        assertThat(constants().stream().map(Field::getName).toList())
                .containsAll(rows().stream().map(Row::name).toList());
    }

    /** The page of settings has the defaults. */
    @Test
    void theDocumentRepeatsNoDefault() throws IOException {
        assertThat(page()).noneMatch(line -> line.contains("| Default |"));
    }

    @Test
    @Tag("slow")
    void noLimitLiesElsewhere() {
        fields().that()
                .areStatic()
                .and()
                .haveNameMatching("[A-Z_]+_(MAX|MIN)")
                .and()
                .areDeclaredInClassesThat()
                // What the operator writes has bounds of its own.
                .resideOutsideOfPackages("..server.config..", "..server.credentials..")
                .should()
                .beDeclaredIn(Limits.class)
                .check(
                        new ClassFileImporter()
                                .withImportOption(new ImportOption.DoNotIncludeTests())
                                .importPackages("io.volute.server"));
    }

    private static List<Field> constants() {
        return Arrays.stream(Limits.class.getDeclaredFields())
                .filter(field -> Modifier.isPublic(field.getModifiers()))
                .toList();
    }

    private static String shown(Field constant) {
        long value;
        try {
            value = constant.getLong(null);
        } catch (IllegalAccessException e) {
            throw new AssertionError(e);
        }
        if (constant.getName().contains("_SECONDS")) {
            return grouped(value) + " s";
        }
        if (!constant.getName().contains("_BYTES_")) {
            return grouped(value);
        }
        int unit = 0;
        while (value % 1024 == 0 && unit < UNITS.size() - 1) {
            value /= 1024;
            unit++;
        }
        return grouped(value) + " " + UNITS.get(unit);
    }

    private static String grouped(long value) {
        return String.format(Locale.ROOT, "%,d", value);
    }

    private static List<String> page() throws IOException {
        Path root = Path.of("").toAbsolutePath();
        while (!Files.exists(root.resolve("docs/reference/limits.md"))) {
            root = root.getParent();
        }
        return Files.readAllLines(root.resolve("docs/reference/limits.md"));
    }

    private static List<Row> rows() throws IOException {
        List<Row> rows = new ArrayList<>();
        for (String line : page()) {
            var row = ROW.matcher(line);
            if (row.matches()) {
                rows.add(new Row(row.group(2), row.group(1)));
            }
        }
        return rows;
    }
}
