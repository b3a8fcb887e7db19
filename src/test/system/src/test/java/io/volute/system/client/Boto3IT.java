package io.volute.system.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.system.ExternalClient;
import io.volute.system.SharedServer;
import io.volute.system.Store;
import io.volute.system.TemporaryStore;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.ExtendWith;

/** Runs {@code boto3_operations.py}; each of its functions is a test here. */
@ExtendWith(SharedServer.class)
public class Boto3IT {
    private static final String SCRIPT = "boto3_operations.py";
    private final Store store;

    Boto3IT(Store store) {
        this.store = store;
    }

    @TestFactory
    public Stream<DynamicTest> operations() throws IOException {
        try (TemporaryStore work = TemporaryStore.create("boto3")) {
            return operations(store.endpoint(), client(work.path()), work.path());
        }
    }

    public static ExternalClient client(Path directory) throws IOException {
        return ExternalClient.orSkip(directory, List.of("python3"), "-c", "import boto3, botocore");
    }

    /** One test for each line of the script's verdicts. */
    public static Stream<DynamicTest> operations(
            URI endpoint, ExternalClient python, Path directory) throws IOException {
        try (InputStream script = Boto3IT.class.getResourceAsStream("/" + SCRIPT)) {
            Files.copy(script, directory.resolve(SCRIPT));
            ExternalClient.Result result = python.run(SCRIPT, endpoint.toString());
            List<DynamicTest> tests = new ArrayList<>();
            String[] parts = result.output().split("(?m)^(?=PASS |FAIL )");
            for (String part : parts) {
                if (part.startsWith("PASS ") || part.startsWith("FAIL ")) {
                    String name = part.lines().findFirst().orElseThrow().substring(5);
                    tests.add(
                            DynamicTest.dynamicTest(
                                    name, () -> assertThat(part).startsWith("PASS ")));
                }
            }
            tests.add(
                    DynamicTest.dynamicTest(
                            "the script ran to its end",
                            () -> {
                                assertThat(result.code()).as(result.output()).isZero();
                                assertThat(tests).hasSizeGreaterThan(10);
                            }));
            return tests.stream();
        }
    }
}
