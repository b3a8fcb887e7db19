package io.volute.system.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.system.Clients;
import io.volute.system.ServerProcess;
import io.volute.system.Store;
import io.volute.system.TemporaryStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.s3.S3Client;

/**
 * A start after SIGKILL, and one without the index, answer every page of the listings and sampled
 * reads as the server did before. {@code -Dvolute.rebuild.objects=1000000} is the full run; it
 * prints how long the starts took.
 */
class RebuildIT {
    private static final int READS_MAX = 10_000;

    @Test
    void answersAreTheSameAfterAKillAndWithoutTheIndex() throws Exception {
        ManyObjects objects =
                new ManyObjects("many", Integer.getInteger("volute.rebuild.objects", 2_000));
        AnswerSheet.Sample sample =
                new AnswerSheet.Sample(
                        objects,
                        Math.min(READS_MAX, objects.count()),
                        Long.getLong("volute.seed", 1));
        try (TemporaryStore directory = TemporaryStore.create("rebuild")) {
            ServerProcess.Options options = ServerProcess.Options.of(directory.data());
            AnswerSheet before;
            try (ServerProcess server = ServerProcess.start(options)) {
                try (S3Client s3 = Clients.sync(server.endpoint())) {
                    new Store(server.endpoint(), s3).createVersioned(objects.bucket());
                }
                long begin = System.nanoTime();
                objects.load(server.endpoint());
                say("loading %d objects", objects.count(), begin);
                begin = System.nanoTime();
                before = AnswerSheet.of(server.endpoint(), sample);
                say("%d answers", before.digests().size(), begin);
                server.kill();
            }
            assertSame(options, "a start after SIGKILL", sample, before);
            delete(directory.data().resolve("cubes/default/index"));
            assertSame(options, "a start without the index", sample, before);
        }
    }

    @Test
    void anotherVersionOfOneObjectIsNoticed() throws Exception {
        ManyObjects objects = new ManyObjects("few", 20);
        AnswerSheet.Sample sample = new AnswerSheet.Sample(objects, 200, 1);
        try (TemporaryStore directory = TemporaryStore.create("rebuild");
                ServerProcess server = ServerProcess.start(directory);
                S3Client s3 = Clients.sync(server.endpoint())) {
            Store store = new Store(server.endpoint(), s3);
            store.create(objects.bucket());
            objects.load(server.endpoint());
            AnswerSheet before = AnswerSheet.of(server.endpoint(), sample);
            assertThat(AnswerSheet.of(server.endpoint(), sample)).isEqualTo(before);
            store.put(objects.bucket(), objects.key(7), "other");
            assertThat(AnswerSheet.of(server.endpoint(), sample).differences(before))
                    .contains("GET " + objects.key(7), "{list-type=2}");
        }
    }

    private static void assertSame(
            ServerProcess.Options options,
            String what,
            AnswerSheet.Sample sample,
            AnswerSheet before)
            throws IOException {
        long begin = System.nanoTime();
        try (ServerProcess server = ServerProcess.start(options)) {
            say(what + " with %d objects", sample.objects().count(), begin);
            AnswerSheet now = AnswerSheet.of(server.endpoint(), sample);
            assertThat(now.differences(before)).as("answered otherwise by " + what).isEmpty();
            assertThat(server.stop()).isZero();
        }
    }

    private static void say(String what, int number, long begin) {
        System.out.printf(
                Locale.ROOT,
                "rebuild: " + what + ": %.1f s%n",
                number,
                (System.nanoTime() - begin) / 1e9);
    }

    private static void delete(Path index) {
        assertThat(index).isNotEmptyDirectory();
        TemporaryStore.deleteTree(index);
        assertThat(Files.exists(index)).isFalse();
    }
}
