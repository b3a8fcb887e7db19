package io.volute.server.config;

import io.volute.server.credentials.Credential;
import io.volute.server.http.HttpSettings;
import io.volute.storage.CubeOptions.LogSettings;
import io.volute.storage.CubeOptions.MemorySettings;
import io.volute.versioning.StoreOptions.HistorySettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * The configuration of a server, checked.
 *
 * @param dataDirectory absolute
 * @param shutdown how long a stop waits for requests in flight
 * @param users besides the root
 */
public record ServerConfig(
        Path dataDirectory,
        HttpSettings http,
        Protocol protocol,
        LogSettings log,
        MemorySettings memory,
        HistorySettings history,
        HistoryRoom historyRoom,
        ProvenanceConfig provenance,
        ScrubConfig scrub,
        Duration shutdown,
        List<Credential> users) {
    public ServerConfig {
        users = List.copyOf(users);
    }

    /**
     * What the S3 protocol needs to know.
     *
     * @param domains host names under which {@code bucket.domain} names a bucket
     * @param unsignedPayloadOverHttp without TLS, a signed request may leave its body unsigned
     */
    public record Protocol(String region, List<String> domains, boolean unsignedPayloadOverHttp) {
        public Protocol {
            domains = List.copyOf(domains);
        }
    }
}
