package io.volute.server.encryption;

import io.volute.provenance.format.Bytes;
import io.volute.server.config.VaultConfig;
import io.volute.server.encryption.KeyServiceException.Kind;
import io.volute.server.encryption.VaultClient.Answer;
import java.io.IOException;
import java.time.Duration;
import java.util.Base64;
import java.util.Collection;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The keys of a Transit engine (Vault API, "Transit secrets engine"). After a call without an
 * answer, others fail at once for a moment, so that requests do not queue up behind a dead service.
 * Thread-safe.
 */
public final class VaultKeys implements KeyService, AutoCloseable {
    /** The time of a call. */
    public static final Duration CALL_TIME = Duration.ofSeconds(5);

    private static final Logger LOG = LoggerFactory.getLogger(VaultKeys.class);
    private static final long REST_NANOS = Duration.ofSeconds(1).toNanos();
    private static final Pattern CIPHERTEXT = Pattern.compile("vault:v([0-9]{1,9}):[!-~]{1,1024}");
    private static final int OK = 200;
    private static final int BAD_REQUEST = 400;
    private static final int FORBIDDEN = 403;

    private final VaultConfig config;
    private final SortedSet<String> names;
    private final LongSupplier nanos;
    private final VaultClient client;
    private final VaultSession session;
    private final AtomicLong calls = new AtomicLong();
    private final AtomicLong failures = new AtomicLong();
    private final AtomicReference<Optional<String>> failure =
            new AtomicReference<>(Optional.empty());

    /** The end of the rest after a call without an answer. */
    private volatile Optional<Long> restUntil = Optional.empty();

    /**
     * @param names of the keys that objects may select, without the prefix
     * @param nanos a clock that only goes forward
     * @param callTime after which a call without an answer fails
     * @throws IOException if a file of the settings cannot be used; the message names the reason
     */
    public VaultKeys(
            VaultConfig config, Collection<String> names, LongSupplier nanos, Duration callTime)
            throws IOException {
        this.config = config;
        this.names = Collections.unmodifiableSortedSet(new TreeSet<>(names));
        this.nanos = nanos;
        this.client = new VaultClient(config, callTime);
        this.session = new VaultSession(client, config.login());
        session.checkFile();
    }

    @Override
    public SortedSet<String> names() {
        return names;
    }

    @Override
    public Encrypted encrypt(String name, Bytes plain) throws KeyServiceException {
        String text = Base64.getEncoder().encodeToString(plain.toArray());
        String ciphertext = data("encrypt", name, Map.of("plaintext", text), "ciphertext");
        Matcher form = CIPHERTEXT.matcher(ciphertext);
        if (!form.matches()) {
            throw failed(
                    Kind.UNAVAILABLE, "the service answered with a ciphertext of no known form");
        }
        return new Encrypted(Integer.parseInt(form.group(1)), ciphertext);
    }

    @Override
    public Bytes decrypt(String name, String ciphertext) throws KeyServiceException {
        String plain = data("decrypt", name, Map.of("ciphertext", ciphertext), "plaintext");
        try {
            return Bytes.of(Base64.getDecoder().decode(plain));
        } catch (IllegalArgumentException e) {
            throw failed(
                    Kind.UNAVAILABLE, "the service answered with a plaintext of no known form");
        }
    }

    private String data(String operation, String name, Map<String, ?> body, String wanted)
            throws KeyServiceException {
        if (restUntil.filter(end -> end - nanos.getAsLong() > 0).isPresent()) {
            throw new KeyServiceException(Kind.UNAVAILABLE, "the service did not answer just now");
        }
        calls.incrementAndGet();
        String path = config.mount() + "/" + operation + "/" + config.prefix() + name;
        try {
            String token = session.token();
            Answer answer = client.call(path, Optional.of(token), Optional.of(body));
            if (answer.status() == FORBIDDEN) {
                Optional<String> other = session.replaced(token);
                if (other.isPresent()) {
                    answer = client.call(path, other, Optional.of(body));
                }
            }
            return switch (answer.status()) {
                case OK -> {
                    succeeded();
                    yield String.valueOf(answer.part("data").get(wanted));
                }
                case BAD_REQUEST ->
                        throw new KeyServiceException(
                                Kind.REFUSED, operation + " " + name + ": " + answer.error());
                default ->
                        throw failed(
                                Kind.UNAVAILABLE, operation + " " + name + ": " + answer.error());
            };
        } catch (KeyServiceException e) {
            throw e;
        } catch (IOException e) {
            restUntil = Optional.of(nanos.getAsLong() + REST_NANOS);
            throw failed(Kind.UNAVAILABLE, operation + " " + name + ": " + e.getMessage());
        }
    }

    private void succeeded() {
        restUntil = Optional.empty();
        if (failure.getAndSet(Optional.empty()).isPresent()) {
            LOG.info("the key service {} answers again", config.address());
        }
    }

    private KeyServiceException failed(Kind kind, String why) {
        failures.incrementAndGet();
        if (failure.getAndSet(Optional.of(why)).isEmpty()) {
            LOG.warn(
                    "the key service {} cannot be used; reads and writes of objects under its keys"
                            + " answer 503 until it can: {}",
                    config.address(),
                    why);
        }
        return new KeyServiceException(kind, why);
    }

    /** Verifies and renews the token, and so finds out whether the service answers. */
    public void look() {
        try {
            session.look();
            succeeded();
        } catch (IOException e) {
            KeyServiceException unused = failed(Kind.UNAVAILABLE, e.getMessage());
        }
    }

    @Override
    public State state() {
        return new State(
                config.address().toString(), failure.get(), calls.get(), failures.get(), 0);
    }

    @Override
    public void close() {
        client.close();
    }
}
