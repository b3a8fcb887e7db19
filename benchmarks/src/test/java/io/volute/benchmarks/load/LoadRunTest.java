package io.volute.benchmarks.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.benchmarks.CommandLines.ByteCount;
import io.volute.benchmarks.JsonLine;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class LoadRunTest {

    @Test
    void countsWhatAServerAnswers() throws Exception {
        LoadResult result = run("--op", "get", "--size", "3000", "--objects", "10");

        assertThat(result.counts().errors).isZero();
        assertThat(result.counts().operations).isPositive();
        assertThat(result.mebibytesPerSecond())
                .isEqualTo(result.operationsPerSecond() * 3000 / (1 << 20));
        assertThat(result.serverRssPeakBytes().orElse(0)).isPositive();
    }

    @Test
    void putsAndMixesToo() throws Exception {
        assertThat(run("--op", "put", "--size", "3000").counts().operations).isPositive();
        assertThat(run("--op", "population", "--get-percent", "0").counts().errors).isZero();
        assertThat(run("--op", "mixed", "--size", "3000", "--rate", "200").counts().errors)
                .isZero();
    }

    @Test
    void connectionsAreDividedAmongTheNodes() throws Exception {
        List<String> endpoints = List.of("http://127.0.0.1:9001", "http://127.0.0.1:9002");
        Target nodes =
                LoadDriver.parse("--endpoint", String.join(",", endpoints), "--server-pid", "1,2")
                        .target();

        assertThat(nodes.pids).containsExactly(1L, 2L);
        assertThat(nodes.hostHeader(3)).isEqualTo("127.0.0.1:9002");
        assertThat(nodes.address(0).getPort()).isEqualTo(9001);
        assertThat(nodes.address(1).getPort()).isEqualTo(9002);
        assertThat(nodes.address(2).getPort()).isEqualTo(9001);
    }

    @Test
    void overwritesBesideReadsAreNotAmongTheFigures() throws Exception {
        LoadResult result =
                run(
                        "--op",
                        "get",
                        "--size",
                        "3000",
                        "--objects",
                        "10",
                        "--rate",
                        "50",
                        "--background-puts",
                        "500");

        assertThat(result.counts().errors).isZero();
        assertThat(result.counts().operations).isLessThanOrEqualTo(14);
        assertThat(result.backgroundPerSecond()).isPositive();
        assertThatThrownBy(() -> LoadDriver.parse("--op", "put", "--background-puts", "1"))
                .hasMessageContaining("get, head, mixed and list only");
    }

    @Test
    void anAnswerOfTheWrongLengthIsAnError() throws Exception {
        LoadResult result = run("--op", "get", "--size", "2999", "--objects", "10");

        assertThat(result.counts().operations).isZero();
        assertThat(result.counts().firstError).isEqualTo("GET: 3000 bytes came");
    }

    @Test
    void aListingWithoutTheExpectedKeysIsAnError() throws Exception {
        LoadResult result = run("--op", "list", "--size", "3000", "--objects", "10");

        assertThat(result.counts().firstError).isEqualTo("LIST: 0 keys came, not 10");
    }

    @Test
    void aServerThatIsNotThereStopsTheRun() throws Exception {
        // Bound, so that nobody else gets the port, but nobody listens.
        try (Socket taken = new Socket()) {
            taken.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            int port = taken.getLocalPort();

            assertThatThrownBy(() -> runAt(port, "--op", "put")).isInstanceOf(IOException.class);
        }
    }

    @Test
    void resultLineIsJson() {
        JsonLine line = new JsonLine().put("a", "q\"\\\n").put("b", 1L).put("c", 0.5);
        line.put("left out, for JSON has no such number", Double.NaN);
        LoadResult result =
                new LoadResult(
                        "t", 1, new Counts(), Double.NaN, OptionalLong.empty(), 0, Double.NaN);
        result.writeTo(line);

        assertThat(line.toString())
                .startsWith("{\"a\":\"q\\\"\\\\\\u000a\",\"b\":1,\"c\":0.5000,\"target\":\"t\"")
                .endsWith("}");
    }

    @Test
    void refusesUnknownArguments() {
        assertThatThrownBy(() -> LoadDriver.parse("--sise", "4K")).hasMessageContaining("sise");
        assertThatThrownBy(() -> LoadDriver.parse("--bucket", "a,b", "--op", "delete"))
                .hasMessageContaining("several buckets exclude");
        assertThatThrownBy(() -> LoadDriver.parse("--bucket", "a,b", "--connections", "1"))
                .hasMessageContaining("too few for 2 buckets");
        assertThat(new ByteCount().convert("10M")).isEqualTo(10 << 20);
    }

    private static LoadResult run(String... arguments) throws Exception {
        try (IdleServer server = IdleServer.start(0, 3000)) {
            return runAt(server.port(), arguments);
        }
    }

    private static LoadResult runAt(int port, String... arguments) throws Exception {
        List<String> all = new ArrayList<>(List.of(arguments));
        all.addAll(List.of("--endpoint", "http://127.0.0.1:" + port, "--connections", "2"));
        all.addAll(List.of("--duration", "0.2", "--warm-up", "0.05", "--server-pid"));
        all.add(Long.toString(ProcessHandle.current().pid()));
        LoadDriver driver = LoadDriver.parse(all.toArray(String[]::new));
        return new LoadRun(driver.target(), driver.workload(), "test").run();
    }
}
