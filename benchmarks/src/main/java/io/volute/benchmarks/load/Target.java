package io.volute.benchmarks.load;

import io.volute.benchmarks.http.RequestSigner.Account;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.Optional;
import picocli.CommandLine.Option;

/** A server under test, as options describe it. */
final class Target {
    @Option(names = "--name", description = "Its name in the results.")
    String name = "A";

    @Option(names = "--endpoint", paramLabel = "URL", description = "Its address.")
    String endpoint = "";

    @Option(names = "--access-key", paramLabel = "K", description = "Its access key.")
    String accessKey = "minioadmin";

    @Option(names = "--secret-key", paramLabel = "S", description = "Its secret key.")
    String secretKey = "minioadmin";

    @Option(names = "--server-pid", description = "Its process, if of this machine.")
    Optional<Long> pid = Optional.empty();

    /** Returns the address that the server listens on. */
    InetSocketAddress address() {
        URI url = URI.create(endpoint);
        return new InetSocketAddress(url.getHost(), url.getPort() < 0 ? 80 : url.getPort());
    }

    String hostHeader() {
        return URI.create(endpoint).getAuthority();
    }

    Account account(String region) {
        return new Account(accessKey, secretKey, region);
    }

    /** Returns its process, if its use of processors is wanted. */
    Optional<ProcessHandle> process() throws IOException {
        Optional<ProcessHandle> process = pid.flatMap(ProcessHandle::of);
        if (pid.isPresent() && process.isEmpty()) {
            throw new IOException("there is no process " + pid.get());
        }
        return process;
    }
}
