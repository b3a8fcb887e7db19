package io.volute.system;

import java.net.URI;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * One server for all test classes that only need a working one. It is started by the first and
 * stopped by SIGTERM after the last, which must end it with exit code 0. With {@code
 * -Dvolute.s3.endpoint=URL} the tests run against another S3 instead, which must know the same
 * credentials.
 */
public final class SharedServer implements ParameterResolver {

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == Store.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        Session session =
                context.getRoot()
                        .getStore(Namespace.GLOBAL)
                        .computeIfAbsent(Session.class, key -> new Session(), Session.class);
        return session.store;
    }

    /** Closed by JUnit when all tests have run. */
    private static final class Session implements AutoCloseable {
        private final TemporaryStore directory = TemporaryStore.create("shared");
        private final Optional<ServerProcess> server;
        private final Store store;

        Session() {
            String other = System.getProperty("volute.s3.endpoint", "");
            server =
                    other.isEmpty()
                            ? Optional.of(ServerProcess.start(options()))
                            : Optional.empty();
            URI endpoint = server.map(ServerProcess::endpoint).orElseGet(() -> URI.create(other));
            store = new Store(endpoint, Clients.sync(endpoint));
        }

        private ServerProcess.Options options() {
            return ServerProcess.Options.of(directory.data())
                    .withEnvironment(Map.of("VOLUTE_S3_VIRTUAL_HOST_DOMAINS", "localhost"));
        }

        @Override
        public void close() {
            try (directory) {
                store.s3().close();
                server.ifPresent(Session::stop);
            }
        }

        private static void stop(ServerProcess server) {
            try (server) {
                int code = server.stop();
                if (code != 0) {
                    throw new IllegalStateException(
                            "SIGTERM must end the server with 0, not " + code + server.log());
                }
            }
        }
    }
}
