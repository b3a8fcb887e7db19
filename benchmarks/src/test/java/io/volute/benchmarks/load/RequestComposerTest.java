package io.volute.benchmarks.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.benchmarks.load.LoadPlan.PutKeys;
import io.volute.benchmarks.load.Workload.Operation;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class RequestComposerTest {
    private static String head(int number, String... arguments) {
        LoadDriver driver = LoadDriver.parse(arguments);
        Workload workload = driver.workload();
        RequestComposer composer =
                new RequestComposer(
                        workload,
                        new KeySpace("run", 1),
                        new LoadPlan(workload, PutKeys.NEW, 0, 0, 0),
                        driver.target(),
                        RequestComposer.SharedBody.of(workload),
                        number);
        composer.compose(Operation.PUT, 1);
        return new String(composer.head().toBytes(), StandardCharsets.US_ASCII);
    }

    @Test
    void connectionsAreDividedAmongActors() {
        assertThat(head(0, "--actors", "3")).contains("\r\nx-volute-actor: load-0\r\n");
        assertThat(head(4, "--actors", "3"))
                .contains("\r\nx-volute-actor: load-1\r\n")
                .contains(";x-volute-actor,Signature=")
                .endsWith("\r\n\r\n");
    }

    @Test
    void actorsHaveNoNamesUnlessAskedFor() {
        assertThat(head(4)).startsWith("PUT /load/").doesNotContain("x-volute-actor");
    }

    @Test
    void connectionsAreDividedAmongBuckets() {
        assertThat(head(0, "--bucket", "one,two")).startsWith("PUT /one/");
        assertThat(head(3, "--bucket", "one,two")).startsWith("PUT /two/");
    }
}
