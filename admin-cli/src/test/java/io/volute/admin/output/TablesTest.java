package io.volute.admin.output;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.admin.FakeServer;
import io.volute.admin.FakeServer.Outcome;
import io.volute.admin.operate.ClusterNodesCommand;
import io.volute.admin.operate.ClusterStatusCommand;
import io.volute.adminapi.AdminJson;
import io.volute.adminapi.Route;
import io.volute.adminapi.Routes;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Shows every table of the commands with the longest values that are usual. */
class TablesTest {
    private static final Instant TIME = Instant.parse("2025-03-04T05:06:07.123456789Z");
    private static final String BUCKET =
            "a-bucket-with-the-longest-name-that-s3-allows-sixty-three-char";

    @RegisterExtension
    private final FakeServer server =
            new FakeServer(ClusterNodesCommand.class, ClusterStatusCommand.class);

    /**
     * A command with tables.
     *
     * @param shown names of the fields that its tables show
     */
    private record TableCase(String arguments, Route<?, ?> route, Set<String> shown) {
        @Override
        public String toString() {
            return arguments;
        }
    }

    private static TableCase row(String arguments, Route<?, ?> route, String shown) {
        return new TableCase(arguments, route, Set.of(shown.split(" ")));
    }

    private static Stream<TableCase> tables() {
        return Stream.of(
                row("user list", Routes.LIST_USERS, "name groups policies accessKey"),
                row("key list", Routes.LIST_USERS, "name created accessKey"),
                row("group list", Routes.LIST_GROUPS, "name created members policies"),
                row("role list", Routes.LIST_ROLES, "name created policies"),
                row("policy list", Routes.LIST_POLICIES, "name changed"),
                row(
                        "history s3://b/k",
                        Routes.HISTORY,
                        "began ended versionId stateId causalVersion name address principal"
                                + " accessKey parentAccessKey id"),
                row("history usage", Routes.USAGE, "bucket states"),
                row(
                        "actors",
                        Routes.ACTORS,
                        "id began accessKey principal parentAccessKey parentPrincipal name"
                                + " address"),
                row(
                        "activity",
                        Routes.ACTIVITY,
                        "at action bucket key causalVersion name address principal accessKey id"),
                row(
                        "trace back s3://b/k",
                        Routes.TRACE,
                        "at action name address principal accessKey id"),
                row(
                        "restore --bucket b --to -2h --dry-run",
                        Routes.PLAN_RESTORE,
                        "key began why lost"),
                row(
                        "restore --status",
                        Routes.RESTORES,
                        "id phase began bucket prefix looked message"),
                row("lifecycle plan b", Routes.LIFECYCLE, "due action key versionId rule"),
                row("cube list", Routes.LIST_CUBES, "cube state buckets created"),
                row("cube moves", Routes.LIST_MOVES, "bucket from to phase keys first why"),
                row(
                        "bucket list --sort size",
                        Routes.LIST_BUCKETS,
                        "bucket objects versioning cubes owner created why"),
                row("bucket parts b", Routes.BUCKET_PARTS, "cube first"),
                row(
                        "replication status",
                        Routes.REPLICATION,
                        "name replicated waiting failure at target change versionId key bucket"
                                + " state started sent leftOut"),
                row(
                        "notification",
                        Routes.NOTIFICATION_TARGETS,
                        "name arn delivered waiting omitted failure"),
                row("space", Routes.SPACE, "cube kind count"),
                row("nodes", Routes.CLUSTER, "name address version"),
                row("status", Routes.CLUSTER, "epoch placed"),
                row("encryption keys", Routes.ENCRYPTION_KEYS, "name version"),
                row("provenance checkpoint --list", Routes.CHECKPOINTS, "number time heads hash"),
                row(
                        "provenance keys",
                        Routes.KEYS,
                        "keyId algorithm role owner validFrom validUntil"),
                row("provenance auditors list", Routes.AUDITORS, "name keyId validFrom validUntil"),
                row(
                        "provenance show s3://b/k",
                        Routes.ENTRIES,
                        "sequence time kind versionId text content link name"));
    }

    @ParameterizedTest
    @MethodSource("tables")
    @Tag("slow")
    void noLineIsWiderThanATerminal(TableCase table) {
        answer(table);
        Outcome narrow = server.atTerminal().run(table.arguments().split(" "));
        assertThat(narrow.code()).as(narrow.err()).isIn(0, 3, 4);
        assertThat(narrow.out().lines())
                .hasSizeGreaterThan(2)
                .allSatisfy(
                        line -> assertThat(TextWidth.of(line)).as(line).isLessThanOrEqualTo(80));
        assertThat(narrow.out().lines().filter(line -> line.startsWith("times ")))
                .hasSizeLessThanOrEqualTo(table.arguments().contains("replication") ? 2 : 1);
        assertThat(narrow.out()).doesNotContain(TIME.toString());
    }

    @ParameterizedTest
    @MethodSource("tables")
    @Tag("slow")
    void aPipeAndWideGetEveryValueWhole(TableCase table) {
        answer(table);
        Outcome piped = server.run(table.arguments().split(" "));
        assertThat(piped.out()).doesNotContain("...");
        String[] wide = (table.arguments() + " --wide").split(" ");
        assertThat(server.atTerminal().run(wide).out()).isEqualTo(piped.out());
        Set<String> values = new TreeSet<>();
        values(
                AdminJson.fields((Record) sample(table.route().answer(), "answer", 0)),
                "",
                table.shown(),
                values);
        assertThat(values).isNotEmpty();
        assertThat(piped.out()).contains(values);
    }

    private static void values(Object value, String name, Set<String> shown, Set<String> found) {
        switch (value) {
            case Map<?, ?> map ->
                    map.forEach((key, each) -> values(each, key.toString(), shown, found));
            case List<?> list -> list.forEach(each -> values(each, name, shown, found));
            case null -> {}
            default -> {
                if (shown.contains(name)) {
                    found.add(value.toString());
                }
            }
        }
    }

    private void answer(TableCase table) {
        Object answer = sample(table.route().answer(), "answer", 0);
        server.answer(
                table.route().method() + table.route().path().replaceFirst("/_volute/v1/", " "),
                new String(AdminJson.write(answer), StandardCharsets.UTF_8));
    }

    /** Returns a value of a type: long texts, large numbers, and nothing that is empty. */
    private static Object sample(Type type, String name, int number) {
        if (type instanceof ParameterizedType generic) {
            Type last =
                    generic.getActualTypeArguments()[generic.getActualTypeArguments().length - 1];
            Class<?> raw = (Class<?>) generic.getRawType();
            if (raw == Optional.class) {
                return name.equals("next")
                        ? Optional.empty()
                        : Optional.of(sample(last, name, number));
            }
            if (raw == List.class) {
                return List.of(sample(last, name, number), sample(last, name, number + 1));
            }
            return Map.of("of-" + name, sample(last, name, number));
        }
        Class<?> plain = (Class<?>) type;
        if (plain == String.class) {
            return text(name, number);
        }
        if (plain == Instant.class) {
            return TIME.plus(Duration.ofDays(number));
        }
        if (plain == long.class || plain == Long.class) {
            return 1_234_567_890L + number;
        }
        if (plain == OptionalLong.class) {
            return OptionalLong.of(1_234_567_890L + number);
        }
        if (plain == boolean.class || plain == Boolean.class) {
            return true;
        }
        if (plain == double.class) {
            return 1.5;
        }
        if (plain.isSealed()) {
            return sample(plain.getPermittedSubclasses()[0], name, number);
        }
        RecordComponent[] components = plain.getRecordComponents();
        Object[] values =
                Arrays.stream(components)
                        .map(each -> sample(each.getGenericType(), each.getName(), number))
                        .toArray();
        try {
            var constructor =
                    plain.getDeclaredConstructor(
                            Arrays.stream(components)
                                    .map(RecordComponent::getType)
                                    .toArray(Class<?>[]::new));
            return constructor.newInstance(values);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    private static String text(String name, int number) {
        return switch (name) {
            case "bucket" -> BUCKET + number;
            case "key", "first", "prefix" ->
                    "reports/2026/november/a-long-key-%04d.pdf".formatted(number);
            case "accessKey", "parentAccessKey" -> "VTAKIAIOSFODNN7EXAM%d".formatted(number);
            case "address" -> "2001:db8:85a3:1234:5678:8a2e:370:733" + number;
            case "versionId", "stateId", "keyId", "id", "hash", "link", "content" ->
                    ("0123456789abcdef".repeat(4) + name + number).substring(name.length() + 1);
            case "naming" -> "chosen";
            case "why", "message", "failure", "lost" ->
                    "the other place answers 503 Service Unavailable since an hour " + number;
            default -> "a-quite-long-" + name + "-of-somebody-" + number;
        };
    }

    /** A table that this test does not know may be of any width. */
    @Test
    void everyTableIsShownHere() throws IOException {
        Pattern made = Pattern.compile("new Table<>\\(\\s*(\\w+)\\.class");
        Set<String> elsewhere =
                Set.of(
                        "NamedServer",
                        "OwnedKey",
                        "CapacityPart",
                        "WriteTotal",
                        "WriteRate",
                        "OperationRates",
                        "Line");
        Set<String> known = new TreeSet<>();
        tables().forEach(each -> known.addAll(types(each.route().answer())));
        assertThat(sources())
                .allSatisfy(
                        source -> {
                            Matcher matcher = made.matcher(text(source));
                            while (matcher.find()) {
                                assertThat(
                                                known.contains(matcher.group(1))
                                                        || elsewhere.contains(matcher.group(1)))
                                        .as("%s in %s", matcher.group(1), source)
                                        .isTrue();
                            }
                        });
    }

    private static Set<String> types(Type type) {
        Set<String> names = new TreeSet<>();
        if (type instanceof ParameterizedType generic) {
            Arrays.stream(generic.getActualTypeArguments())
                    .forEach(each -> names.addAll(types(each)));
        } else if (type instanceof Class<?> plain && plain.isRecord()) {
            names.add(plain.getSimpleName());
            for (RecordComponent each : plain.getRecordComponents()) {
                names.addAll(types(each.getGenericType()));
            }
        }
        return names;
    }

    /** Rows that a command aligns by itself have no width, and no full form. */
    @Test
    void noCommandFormatsRowsByItself() throws IOException {
        Pattern aligned =
                Pattern.compile(
                        "%-?[0-9]+(\\.[0-9]+)?[sdf]|\\.repeat\\(|\"[a-zA-Z][a-z -]*  +\" ?\\+");
        // The marks of a checklist, and pictures of a graph.
        Set<String> others = Set.of("DoctorCommand.java", "SvgDrawing.java", "DotDrawing.java");
        assertThat(sources())
                .filteredOn(source -> !source.getParent().endsWith("output"))
                .filteredOn(source -> !others.contains(source.getFileName().toString()))
                .hasSizeGreaterThan(100)
                .allSatisfy(
                        source ->
                                assertThat(aligned.matcher(text(source)).results())
                                        .as(source.toString())
                                        .extracting(MatchResult::group)
                                        .isEmpty());
    }

    private static List<Path> sources() throws IOException {
        List<Path> found = new ArrayList<>();
        for (String module : List.of("admin-cli", "distribution")) {
            Path sources = Path.of("").toAbsolutePath().resolveSibling(module + "/src/main/java");
            try (Stream<Path> all = Files.walk(sources)) {
                all.filter(each -> each.toString().endsWith(".java")).forEach(found::add);
            }
        }
        return found;
    }

    private static String text(Path source) {
        try {
            return Files.readString(source);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
