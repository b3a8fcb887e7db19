package io.volute.server;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.volute.server.auditlog.AuditLogVerifier;
import io.volute.server.auditlog.AuditLogVerifier.Terms;
import io.volute.server.config.ConfigSource;
import io.volute.server.config.ServerConfig;
import io.volute.server.metrics.RunningServer;
import io.volute.server.startup.Server;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/**
 * Deletes, flips and cuts a file of every kind that a data directory has. The verdicts are those of
 * the table in docs/design/recovery.md; a file that the table does not have is an error. Each row
 * has each damage, of one file and at one place in turn; {@code -Dvolute.damage=full} takes the
 * first and the last file, and flips a bit at three places.
 */
@Tag("slow")
@Timeout(900)
class DataFilesTest {
    private static final Path PAGE = Path.of("../../docs/design/recovery.md");
    private static final String HEADING = "| File | Deleted | One flipped bit | One byte less |";
    private static final Pattern CODE = Pattern.compile("`([^`]+)`");
    private static final Pattern WAY_OUT =
            Pattern.compile("(?i).*\\b(put|restore|start|delete|move|set|name)\\b.*");

    private static final boolean IS_FULL = "full".equals(System.getProperty("volute.damage"));
    private static final int PLACES = 3;

    private static final String VERSIONED =
            "<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>";
    private static final String ENCRYPTED =
            "<ServerSideEncryptionConfiguration><Rule><ApplyServerSideEncryptionByDefault>"
                    + "<SSEAlgorithm>AES256</SSEAlgorithm></ApplyServerSideEncryptionByDefault>"
                    + "</Rule></ServerSideEncryptionConfiguration>";
    private static final Logger LOG = (Logger) LoggerFactory.getLogger("io.volute");

    @TempDir private Path work;

    private final ListAppender<ILoggingEvent> told = new ListAppender<>();
    private final Map<Logger, Level> levels = new HashMap<>();

    /** Counts the tries: of each, another place is damaged. */
    private int turn;

    /** The content that must be read, by its path. */
    private final Map<String, byte[]> contents = new TreeMap<>();

    /** The outcome of a damage. The last two are errors. */
    private enum Verdict {
        REBUILT,
        NAMED,
        REFUSED,
        UNREAD,
        /** The loss shows nowhere. */
        SILENT,
        /** The server does not start, and does not say why or what to do. */
        SHUT;

        static Verdict of(String word) {
            return valueOf(word.strip().toUpperCase(Locale.ROOT));
        }
    }

    private enum Damage {
        DELETED,
        FLIPPED,
        CUT
    }

    private record Outcome(Verdict verdict, String text) {}

    /**
     * A row of the table.
     *
     * @param files one or two globs; files of both are damaged together
     */
    private record Kind(List<String> files, Map<Damage, List<Verdict>> verdicts) {
        static Kind of(String row) {
            String[] cells = row.split("\\|");
            List<String> files =
                    CODE.matcher(cells[1]).results().map(each -> each.group(1)).toList();
            Map<Damage, List<Verdict>> verdicts = new TreeMap<>();
            for (Damage each : Damage.values()) {
                verdicts.put(
                        each,
                        Stream.of(cells[2 + each.ordinal()].split(",")).map(Verdict::of).toList());
            }
            return new Kind(files, verdicts);
        }

        boolean isOf(int glob, String file) {
            PathMatcher matcher =
                    FileSystems.getDefault().getPathMatcher("glob:" + files.get(glob));
            return matcher.matches(Path.of(file));
        }

        /** Returns the files to damage, in turn: first and last of several, or one of these. */
        Set<String> samples(List<String> all, int turn) {
            List<String> found = all.stream().filter(each -> isOf(0, each)).toList();
            assertThat(found).as("files of %s", files).isNotEmpty();
            if (IS_FULL) {
                return new LinkedHashSet<>(List.of(found.getFirst(), found.getLast()));
            }
            return Set.of(turn % 2 == 0 ? found.getLast() : found.getFirst());
        }
    }

    private static List<Kind> kinds() throws IOException {
        List<String> lines = Files.readAllLines(PAGE);
        int begin = 0;
        while (!lines.get(begin).startsWith(HEADING)) {
            begin++;
        }
        return lines.subList(begin + 2, lines.size()).stream()
                .takeWhile(line -> line.startsWith("|"))
                .map(Kind::of)
                .toList();
    }

    @BeforeEach
    void listen() {
        for (Logger each : LOG.getLoggerContext().getLoggerList()) {
            if (each.getName().startsWith(LOG.getName())) {
                levels.put(each, each.getLevel());
                each.setLevel(null);
            }
        }
        LOG.setLevel(Level.WARN);
        told.start();
        LOG.addAppender(told);
    }

    @AfterEach
    void listenNoMore() {
        LOG.detachAppender(told);
        levels.forEach(Logger::setLevel);
    }

    private static Map<String, String> settings() {
        Map<String, String> settings = new HashMap<>();
        settings.put("log.segment-size", "64 KiB");
        settings.put("log.chunk-size", "16 KiB");
        settings.put("log.inline-limit", "16 KiB");
        settings.put("log.capacity", "64 MiB");
        settings.put("log.audit-file-size", "64 KiB");
        settings.put("encryption.keys", "payroll");
        settings.put("cubes.placement", "spread");
        settings.put("provenance.checkpoint-export", "s3://evidence/here");
        return settings;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static void done(HttpResponse<String> answer) {
        assertThat(answer.statusCode()).as(answer.body()).isBetween(200, 299);
    }

    private void put(RunningServer server, String path, int length) throws Exception {
        byte[] content = new byte[length];
        new Random(path.hashCode()).nextBytes(content);
        for (int i = 0; i < length; i++) {
            content[i] = (byte) ('a' + (content[i] & 15));
        }
        done(server.exchange("PUT", path, content));
        contents.put(path, content);
    }

    /** Makes a store with every kind of file. */
    private Path store() throws Exception {
        Path data = work.resolve("whole");
        try (RunningServer server = new RunningServer(data, settings())) {
            done(server.exchange("POST", "/_volute/v1/cubes", bytes("{\"cube\":\"other\"}")));
            for (String bucket : List.of("plain", "kept", "secret", "evidence", "apart")) {
                done(server.exchange("PUT", "/" + bucket, new byte[0]));
            }
            done(server.exchange("PUT", "/kept?versioning=", bytes(VERSIONED)));
            done(server.exchange("PUT", "/secret?encryption=", bytes(ENCRYPTED)));
            done(server.exchange("POST", "/_volute/v1/users", bytes("{\"name\":\"ann\"}")));
            for (String bucket : List.of("plain", "kept", "secret", "apart")) {
                fill(server, "/" + bucket + "/");
            }
            // Lines of the audit log.
            for (int i = 0; i < 60; i++) {
                done(server.exchange("PUT", "/b" + i + "x", new byte[0]));
            }
            done(server.exchange("POST", "/_volute/v1/provenance/checkpoints", bytes("{}")));
            for (String cube : List.of("default", "other")) {
                String pass = "{\"cube\":\"" + cube + "\",\"level\":\"combined\"}";
                done(server.exchange("POST", "/_volute/v1/clean", bytes(pass)));
            }
            done(server.exchange("POST", "/_volute/v1/scrub", bytes("{}")));
            while (!server.exchange("GET", "/_volute/v1/scrub", new byte[0])
                            .body()
                            .contains("\"last\"")
                    || !Files.exists(data.resolve("checkpoint-export.mark"))) {
                Thread.onSpinWait();
            }
            put(server, "/plain/last", 400);
            put(server, "/apart/last", 400);
        }
        // The root has a key of its own where the environment has none.
        Server.start(config(data), Map.of()).close();
        return data;
    }

    private void fill(RunningServer server, String bucket) throws Exception {
        for (int i = 0; i < 12; i++) {
            put(server, bucket + "small-" + i, 300);
            put(server, bucket + "medium-" + i, 9_000);
        }
        put(server, bucket + "large", 200_000);
        for (int i = 0; i < 12; i += 2) {
            put(server, bucket + "medium-" + i, 8_000);
            done(server.exchange("DELETE", bucket + "medium-" + (i + 1), new byte[0]));
            contents.remove(bucket + "medium-" + (i + 1));
        }
    }

    private static ServerConfig config(Path data) throws Exception {
        Map<String, String> all = settings();
        all.put("data.directory", data.toString());
        all.put("server.listen", "127.0.0.1:0");
        return ConfigSource.read(Optional.empty(), Map.of(), all);
    }

    @Test
    void eachDamageOfEachKindHasTheVerdictOfTheTable() throws Exception {
        Path whole = store();
        List<String> all = files(whole);
        List<Kind> kinds = kinds();
        assertThat(all)
                .as("files that the table in %s does not have", PAGE)
                .allMatch(file -> kinds.stream().anyMatch(kind -> kind.isOf(0, file)));
        List<String> wrong = new ArrayList<>();
        Set<String> looked = new LinkedHashSet<>();
        for (Kind kind : kinds) {
            for (String file : kind.samples(all, kinds.indexOf(kind))) {
                for (Damage damage : Damage.values()) {
                    // An earlier row may have the same file.
                    if (looked.add(kind.files().size() + file + damage)) {
                        wrong.addAll(tried(whole, kind, file, damage));
                    }
                }
            }
        }
        assertThat(wrong).isEmpty();
    }

    private List<String> tried(Path whole, Kind kind, String file, Damage damage) throws Exception {
        List<String> wrong = new ArrayList<>();
        List<String> files = new ArrayList<>(List.of(file));
        if (kind.files().size() > 1) {
            files.add(kind.files().get(1));
        }
        int places = damage == Damage.FLIPPED ? PLACES : 1;
        int first = IS_FULL ? 0 : turn++ % places;
        int end = IS_FULL ? places : first + 1;
        for (int place = first; place < end; place++) {
            Path data = copy(whole);
            boolean isDamaged = false;
            for (String each : files) {
                isDamaged |= damage(data.resolve(each), damage, place);
            }
            if (!isDamaged) {
                continue;
            }
            Outcome outcome = outcome(data, file);
            String what = files + " " + damage + " at place " + place + ": ";
            if (!kind.verdicts().get(damage).contains(outcome.verdict())) {
                wrong.add(what + outcome);
            }
            if (outcome.verdict() == Verdict.REFUSED) {
                wrong.addAll(waysOut(whole, data, files).stream().map(what::concat).toList());
            }
        }
        return wrong;
    }

    /** Takes the ways out of a refused start: reading what is left, and putting the files back. */
    private List<String> waysOut(Path whole, Path data, List<String> files) throws Exception {
        List<String> wrong = new ArrayList<>();
        if (files.getFirst().contains("/segments/")) {
            Map<String, String> settings = settings();
            settings.put("log.on-damage", "accept-read-only");
            try (RunningServer server = new RunningServer(data, settings)) {
                if (lost(server).size() == contents.size()) {
                    wrong.add("nothing can be read with accept-read-only");
                }
            } catch (IOException e) {
                // A store without the list of its keys does not open.
                if (!WAY_OUT.matcher(e.getMessage()).matches()) {
                    wrong.add("accept-read-only does not open it: " + e.getMessage());
                }
            }
        }
        for (String each : files) {
            Files.copy(
                    whole.resolve(each),
                    data.resolve(each),
                    StandardCopyOption.REPLACE_EXISTING,
                    StandardCopyOption.COPY_ATTRIBUTES);
        }
        try (RunningServer server = new RunningServer(data, settings())) {
            awaitCubes(server);
            if (!lost(server).isEmpty()) {
                wrong.add("lost when the files were put back: " + lost(server));
            }
        }
        return wrong;
    }

    private static List<String> files(Path data) throws IOException {
        try (Stream<Path> all = Files.walk(data)) {
            return all.filter(Files::isRegularFile)
                    .map(each -> data.relativize(each).toString())
                    .sorted()
                    .toList();
        }
    }

    private Path copy(Path whole) throws IOException {
        Path data = work.resolve("copy");
        if (Files.exists(data)) {
            try (Stream<Path> old = Files.walk(data)) {
                for (Path each : old.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(each);
                }
            }
        }
        try (Stream<Path> all = Files.walk(whole)) {
            for (Path each : all.toList()) {
                Files.copy(
                        each,
                        data.resolve(whole.relativize(each).toString()),
                        StandardCopyOption.COPY_ATTRIBUTES);
            }
        }
        return data;
    }

    /**
     * Damages a file.
     *
     * @param place of the flipped bit: 0 in the first byte, 1 in the middle, 2 in the last byte
     *     that is not zero
     * @return whether the file has such a byte
     */
    private static boolean damage(Path file, Damage damage, int place) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        if (damage == Damage.DELETED) {
            Files.delete(file);
            return true;
        }
        int end = bytes.length;
        while (damage == Damage.FLIPPED && end > 0 && bytes[end - 1] == 0) {
            end--;
        }
        if (end == 0) {
            return false;
        }
        if (damage == Damage.FLIPPED) {
            bytes[place * (end - 1) / 2] ^= (byte) 0x80;
            Files.write(file, bytes);
        } else {
            Files.write(file, Arrays.copyOf(bytes, end - 1));
        }
        return true;
    }

    private Outcome outcome(Path data, String file) throws Exception {
        String name = Path.of(file).getFileName().toString();
        told.list.clear();
        if (file.startsWith("keys/master") || file.startsWith("keys/root")) {
            try (Server server = Server.start(config(data), Map.of())) {
                assertThat(server.greeting()).isNotEmpty();
                String said = said();
                return new Outcome(said.contains(name) ? Verdict.NAMED : Verdict.REBUILT, said);
            } catch (IOException e) {
                return refused(e, name);
            }
        }
        try (RunningServer server = new RunningServer(data, settings())) {
            awaitCubes(server);
            String said = said();
            List<String> lost = lost(server);
            if (said.contains(name)) {
                return new Outcome(Verdict.NAMED, said);
            }
            if (lost.isEmpty()) {
                return new Outcome(isAuditLogWhole(data) ? Verdict.REBUILT : Verdict.UNREAD, said);
            }
            boolean isLoud = lost.stream().allMatch(each -> each.endsWith(" 500"));
            return new Outcome(isLoud ? Verdict.UNREAD : Verdict.SILENT, lost + said);
        } catch (IOException e) {
            return refused(e, name);
        }
    }

    private static void awaitCubes(RunningServer server) throws Exception {
        while (server.exchange("GET", "/_volute/v1/cubes", new byte[0])
                .body()
                .contains("\"opening\"")) {
            Thread.onSpinWait();
        }
    }

    private static Outcome refused(IOException e, String name) {
        String message = e.getMessage();
        boolean isGood =
                message.contains(name)
                        && WAY_OUT.matcher(message).matches()
                        && !message.contains("Exception");
        return new Outcome(isGood ? Verdict.REFUSED : Verdict.SHUT, message);
    }

    private static boolean isAuditLogWhole(Path data) throws IOException {
        Terms terms = new Terms(Optional.empty(), true, Map.of());
        return new AuditLogVerifier(terms)
                .verify(AuditLogVerifier.files(data.resolve("audit")))
                .findings()
                .isEmpty();
    }

    /** Returns the warnings and errors of the start; a stack trace is an error of its own. */
    private String said() {
        StringBuilder text = new StringBuilder();
        for (ILoggingEvent each : List.copyOf(told.list)) {
            text.append(each.getFormattedMessage()).append(" | ");
            assertThat(each.getThrowableProxy()).as(each.getFormattedMessage()).isNull();
        }
        return text.toString();
    }

    /**
     * Returns what cannot be read as it was written, with the status; a cut answer counts as 500.
     */
    private List<String> lost(RunningServer server) throws Exception {
        List<String> lost = new ArrayList<>();
        for (Map.Entry<String, byte[]> each : contents.entrySet()) {
            try {
                HttpResponse<String> answer = server.exchange("GET", each.getKey(), new byte[0]);
                String content = new String(each.getValue(), StandardCharsets.US_ASCII);
                if (answer.statusCode() != 200 || !answer.body().equals(content)) {
                    lost.add(each.getKey() + " " + answer.statusCode());
                }
            } catch (IOException e) {
                lost.add(each.getKey() + " 500");
            }
        }
        return lost;
    }
}
