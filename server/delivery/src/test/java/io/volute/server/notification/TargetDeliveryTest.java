package io.volute.server.notification;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.server.config.targets.TargetConfig;
import io.volute.server.outbound.Addresses.Resolver;
import io.volute.server.s3.S3TestBed;
import io.volute.server.s3.notification.EventMessage;
import io.volute.storage.io.OsFileSystem;
import io.volute.versioning.Outbox;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Delivery to webhooks and files from a real outbox. */
class TargetDeliveryTest {
    private static final Instant NOW = Instant.parse("2026-11-21T10:00:00Z");

    @TempDir private Path directory;
    private final AtomicReference<Instant> now = new AtomicReference<>(NOW);
    private S3TestBed bed;
    private WebhookReceiver receiver;

    @BeforeEach
    void open() throws IOException {
        bed = new S3TestBed();
        receiver = new WebhookReceiver();
    }

    @AfterEach
    void close() {
        receiver.close();
        bed.close();
    }

    private Outbox outbox() {
        return bed.store().outbox();
    }

    private TargetConfig.Webhook config(Optional<Path> token, boolean loopback, boolean plain) {
        return new TargetConfig.Webhook(
                "hook", receiver.url(), token, Optional.empty(), loopback, plain);
    }

    private TargetDelivery delivery(Target target) {
        return new TargetDelivery("hook", outbox(), target, now::get);
    }

    private WebhookTarget webhook() throws IOException {
        return new WebhookTarget(config(Optional.empty(), true, true), Resolver.OF_SYSTEM);
    }

    private void add(String subject, String document) throws IOException {
        byte[] content =
                new EventMessage(subject, document.getBytes(StandardCharsets.UTF_8)).encode();
        outbox().add("hook", at -> content);
    }

    /** Adds messages about some keys, numbered. */
    private List<String> addMany(int count, int keys) throws IOException {
        for (int i = 0; i < count; i++) {
            add("b/k" + i % keys, i % keys + ":" + i);
        }
        return IntStream.range(0, count).mapToObj(i -> i % keys + ":" + i).toList();
    }

    private static List<String> ofKey(List<String> all, int key) {
        return all.stream().filter(each -> each.startsWith(key + ":")).toList();
    }

    @Test
    void everyMessageIsPostedOnceAndInOrderForEachKey() throws IOException {
        List<String> expected = addMany(600, 7);
        try (WebhookTarget target = webhook()) {
            delivery(target).look();
        }
        assertThat(receiver.taken).containsExactlyInAnyOrderElementsOf(expected);
        for (int key = 0; key < 7; key++) {
            assertThat(ofKey(receiver.taken, key)).isEqualTo(ofKey(expected, key));
        }
        assertThat(outbox().queue("hook").messages()).isZero();
        assertThat(outbox().next("hook", 10)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {302, 400, 500, 503})
    void aRefusedMessageStaysAndHoldsUpItsKeyAlone(int status) throws IOException {
        receiver.status = body -> body.equals("0:2") ? status : 200;
        List<String> expected = addMany(20, 2);
        try (WebhookTarget target = webhook()) {
            TargetDelivery delivery = delivery(target);
            delivery.look();
            assertThat(ofKey(receiver.taken, 0)).containsExactly("0:0");
            assertThat(ofKey(receiver.taken, 1)).isEqualTo(ofKey(expected, 1));
            assertThat(outbox().queue("hook").messages()).isEqualTo(9);
            assertThat(delivery.failures()).isEqualTo(1);
            assertThat(delivery.failure().orElseThrow()).contains("answered with " + status);

            receiver.status = body -> 200;
            delivery.look();
            assertThat(receiver.taken).as("during the pause").hasSize(11);
            now.set(NOW.plusSeconds(1));
            delivery.look();
            assertThat(ofKey(receiver.taken, 0)).isEqualTo(ofKey(expected, 0));
            assertThat(delivery.failure()).isEmpty();
        }
    }

    /** A gap event replaces each message that is damaged or cannot be decoded. */
    @Test
    void aMessageThatCannotBeReadHoldsUpNobody() throws IOException {
        bed.close();
        bed = new S3TestBed(directory.resolve("data"));
        add("b/k1", "first");
        add("b/k2", "the second one, which will be damaged");
        add("b/k3", "third");
        outbox().add("hook", at -> new byte[] {99, 1});
        add("b/k4", "fourth");
        byte[] sample = "the second one, which will be".getBytes(StandardCharsets.UTF_8);
        assertThat(S3TestBed.damage(directory.resolve("data"), sample)).isEqualTo(1);
        try (WebhookTarget target = webhook()) {
            TargetDelivery delivery = delivery(target);
            delivery.look();
            assertThat(delivery.unreadable()).isEqualTo(2);
            assertThat(delivery.delivered()).isEqualTo(5);
            assertThat(delivery.failure()).isEmpty();
        }
        assertThat(receiver.taken).hasSize(5).contains("first", "third", "fourth");
        assertThat(receiver.taken.stream().filter(each -> each.contains("volute:EventsOmitted")))
                .hasSize(2);
        assertThat(outbox().next("hook", 10)).isEmpty();
    }

    @Test
    void pausesGrowToAMinute() throws IOException {
        receiver.status = body -> 500;
        add("b/k", "x");
        try (WebhookTarget target = webhook()) {
            TargetDelivery delivery = delivery(target);
            long[] pauses = {500, 1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000};
            delivery.look();
            for (int i = 0; i < pauses.length; i++) {
                now.updateAndGet(at -> at.plusMillis(1));
                delivery.look();
                assertThat(delivery.failures()).as("pause %s", i).isEqualTo(i + 1);
                long rest = pauses[i] - 1;
                now.updateAndGet(at -> at.plusMillis(rest));
                delivery.look();
                assertThat(delivery.failures()).as("behind pause %s", i).isEqualTo(i + 2);
            }
        }
    }

    @Test
    void theTokenIsReadForEachMessage() throws IOException {
        Path token = directory.resolve("token");
        Files.writeString(token, "first\n");
        Files.setPosixFilePermissions(token, PosixFilePermissions.fromString("rw-------"));
        try (WebhookTarget target =
                new WebhookTarget(config(Optional.of(token), true, true), Resolver.OF_SYSTEM)) {
            add("b/k", "1");
            delivery(target).look();
            Files.writeString(token, "second\n");
            add("b/k", "2");
            delivery(target).look();
        }
        assertThat(receiver.authorizations).containsExactly("Bearer first", "Bearer second");
        Files.writeString(token, "two words");
        assertThatThrownBy(
                        () ->
                                new WebhookTarget(
                                        config(Optional.of(token), true, true), Resolver.OF_SYSTEM))
                .hasMessageContaining("is not one line");
    }

    /** The attack: a name of a webhook leads to this machine, or to the cloud's metadata. */
    @ParameterizedTest
    @CsvSource({
        "127.0.0.1,false,true",
        "169.254.169.254,true,true",
        "0.0.0.0,true,true",
        "127.0.0.1,true,false",
    })
    void addressesThatAreNotAllowedGetNothing(String address, boolean loopback, boolean plain)
            throws IOException {
        Resolver resolver = host -> new InetAddress[] {InetAddress.getByName(address)};
        TargetConfig.Webhook config =
                new TargetConfig.Webhook(
                        "hook",
                        URI.create("http://hook.example.com:" + receiver.url().getPort() + "/hook"),
                        Optional.empty(),
                        Optional.empty(),
                        loopback,
                        plain);
        add("b/k", "secret");
        try (WebhookTarget target = new WebhookTarget(config, resolver)) {
            TargetDelivery delivery = delivery(target);
            delivery.look();
            assertThat(delivery.failure().orElseThrow()).containsAnyOf("not allowed", "not https");
        }
        assertThat(receiver.taken).isEmpty();
        assertThat(outbox().queue("hook").messages()).isEqualTo(1);
    }

    @Test
    void aFileGetsALineForEachMessage() throws IOException {
        Path file = directory.resolve("events.jsonl");
        Files.writeString(file, "{\"a piece of a li");
        List<String> expected = addMany(300, 3);
        try (FileTarget target =
                new FileTarget(
                        new TargetConfig.File("hook", file, 1 << 20),
                        new OsFileSystem(),
                        now::get)) {
            delivery(target).look();
        }
        assertThat(Files.readAllLines(file))
                .containsExactlyElementsOf(
                        Stream.concat(Stream.of("{\"a piece of a li"), expected.stream()).toList());
    }

    @Test
    void aFullFileIsRenamedAndStays() throws IOException {
        Path file = directory.resolve("events.jsonl");
        List<String> expected = addMany(600, 1);
        try (FileTarget target =
                new FileTarget(
                        new TargetConfig.File("hook", file, 100), new OsFileSystem(), now::get)) {
            delivery(target).look();
        }
        Path first = directory.resolve("events.jsonl.20261121T100000Z");
        Path second = directory.resolve("events.jsonl.20261121T100000Z-1");
        Path third = directory.resolve("events.jsonl.20261121T100000Z-2");
        assertThat(
                        Stream.of(first, second, third)
                                .flatMap(
                                        each -> {
                                            try {
                                                return Files.readAllLines(each).stream();
                                            } catch (IOException e) {
                                                throw new AssertionError(e);
                                            }
                                        })
                                .toList())
                .isEqualTo(expected);
        assertThat(file).doesNotExist();
    }

    @Test
    void aFileThatCannotBeWrittenKeepsTheMessages() throws IOException {
        Path file = directory.resolve("absent").resolve("events.jsonl");
        add("b/k", "x");
        try (FileTarget target =
                new FileTarget(
                        new TargetConfig.File("hook", file, 100), new OsFileSystem(), now::get)) {
            TargetDelivery delivery = delivery(target);
            delivery.look();
            assertThat(delivery.failure().orElseThrow()).contains("events.jsonl");
            assertThat(outbox().queue("hook").messages()).isEqualTo(1);
            Files.createDirectory(file.getParent());
            now.set(NOW.plusSeconds(1));
            delivery.look();
        }
        assertThat(outbox().queue("hook").messages()).isZero();
    }

    @Test
    void aFullQueueHasAGapInThePlaceOfEvents() throws IOException {
        addMany(1003, 1);
        assertThat(outbox().queue("hook").omitted()).isEqualTo(3);
        try (WebhookTarget target = webhook()) {
            delivery(target).look();
        }
        assertThat(receiver.taken).hasSize(1001);
        assertThat(receiver.taken.getLast() + receiver.taken).contains("volute:EventsOmitted");
        add("b/k", "later");
        try (WebhookTarget target = webhook()) {
            delivery(target).look();
        }
        assertThat(receiver.taken.getLast()).isEqualTo("later");
    }
}
