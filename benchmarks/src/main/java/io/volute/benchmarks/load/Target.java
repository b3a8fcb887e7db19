package io.volute.benchmarks.load;

import io.volute.benchmarks.http.RequestSigner.Account;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;

/** A server under test, or the nodes of a cluster, as options describe it. */
final class Target {
    @Option(names = "--name", description = "Its name in the results.")
    String name = "A";

    @Option(
            names = "--endpoint",
            split = ",",
            paramLabel = "URL[,URL..]",
            description = "Its address; the connections are divided among several as in --bucket.")
    List<String> endpoints = List.of();

    @Option(names = "--access-key", paramLabel = "K", description = "Its access key.")
    String accessKey = "minioadmin";

    @Option(names = "--secret-key", paramLabel = "S", description = "Its secret key.")
    String secretKey = "minioadmin";

    @Option(
            names = "--server-pid",
            split = ",",
            paramLabel = "PID[,PID..]",
            description = "Its processes, if of this machine.")
    List<Long> pids = List.of();

    /** Returns the address that a connection with this number goes to. */
    InetSocketAddress address(int number) {
        URI url = endpoint(number);
        return new InetSocketAddress(url.getHost(), url.getPort() < 0 ? 80 : url.getPort());
    }

    private URI endpoint(int number) {
        return URI.create(endpoints.get(number % endpoints.size()));
    }

    String hostHeader(int number) {
        return endpoint(number).getAuthority();
    }

    Account account(String region) {
        return new Account(accessKey, secretKey, region);
    }

    /** Returns its processes, if their use of processors is wanted; otherwise none. */
    List<ProcessHandle> processes() throws IOException {
        List<ProcessHandle> found = new ArrayList<>();
        for (long pid : pids) {
            found.add(
                    ProcessHandle.of(pid)
                            .orElseThrow(() -> new IOException("there is no process " + pid)));
        }
        return found;
    }
}
