package io.volute.testkit.ledger;

import io.volute.testkit.ledger.LedgerEntry.Outcome;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The requests that clients sent and the outcomes that they received, kept outside of the killed
 * process. A client records its intent before it sends and the outcome after the answer. The order
 * of the records is the order of real time. Thread-safe.
 *
 * <p>In a file it is one line a record, each written before the call returns: {@code I sequence
 * client key digest}, {@code A|R sequence at}, {@code K at}; names are percent-encoded.
 */
public final class ClientLedger implements AutoCloseable {
    private static final String NO_BODY = "-";

    private final Optional<Writer> file;
    private final Map<Long, LedgerEntry> entries = new LinkedHashMap<>();
    private long last;

    private ClientLedger(Optional<Writer> file) {
        this.file = file;
    }

    /** A ledger of this process alone. */
    public static ClientLedger inMemory() {
        return new ClientLedger(Optional.empty());
    }

    /** A ledger in a file; what is there already is taken over. */
    public static ClientLedger open(Path path) throws IOException {
        List<String> lines =
                Files.exists(path) ? Files.readAllLines(path, StandardCharsets.UTF_8) : List.of();
        Writer writer =
                Files.newBufferedWriter(
                        path,
                        StandardCharsets.UTF_8,
                        StandardOpenOption.CREATE,
                        StandardOpenOption.APPEND);
        ClientLedger ledger = new ClientLedger(Optional.of(writer));
        lines.forEach(ledger::takeOver);
        return ledger;
    }

    private void takeOver(String line) {
        String[] words = line.split(" ", -1);
        long number = Long.parseLong(words[1]);
        switch (words[0]) {
            case "I" ->
                    add(
                            number,
                            decoded(words[2]),
                            decoded(words[3]),
                            Optional.of(words[4]).filter(digest -> !digest.equals(NO_BODY)));
            case "A" -> end(number, Outcome.ACKNOWLEDGED, Long.parseLong(words[2]));
            case "R" -> end(number, Outcome.REFUSED, Long.parseLong(words[2]));
            case "K" -> endAll(number);
            default -> throw new IllegalArgumentException("not a ledger line: " + line);
        }
    }

    /**
     * Records that a client is about to write a body, or to delete, under a key.
     *
     * @param digest of the body (see {@link Digests}); empty for a delete
     * @return the ticket for the outcome
     */
    public synchronized long intend(String client, String key, Optional<String> digest) {
        long sequence = last + 1;
        log("I " + sequence + " " + encoded(client) + " " + encoded(key))
                .log(" " + digest.orElse(NO_BODY) + "\n");
        add(sequence, client, key, digest);
        return sequence;
    }

    /** Records that the client received a success. */
    public synchronized void acknowledge(long ticket) {
        long at = last + 1;
        log("A " + ticket + " " + at + "\n");
        end(ticket, Outcome.ACKNOWLEDGED, at);
    }

    /** Records a refusal after which nothing can have changed (not a timeout, not a 5xx). */
    public synchronized void refuse(long ticket) {
        long at = last + 1;
        log("R " + ticket + " " + at + "\n");
        end(ticket, Outcome.REFUSED, at);
    }

    /** Records that the server is dead: what has no outcome yet can have no more effect. */
    public synchronized void serverDied() {
        long at = last + 1;
        log("K " + at + "\n");
        endAll(at);
    }

    private ClientLedger log(String text) {
        try {
            if (file.isPresent()) {
                file.orElseThrow().write(text);
                file.orElseThrow().flush();
            }
        } catch (IOException failed) {
            throw new UncheckedIOException("the ledger cannot be written", failed);
        }
        return this;
    }

    private void add(long sequence, String client, String key, Optional<String> digest) {
        last = sequence;
        entries.put(
                sequence,
                new LedgerEntry(sequence, client, key, digest, Outcome.UNKNOWN, Long.MAX_VALUE));
    }

    private void end(long ticket, Outcome outcome, long at) {
        last = at;
        LedgerEntry entry = entries.get(ticket);
        if (entry == null || entry.outcome() != Outcome.UNKNOWN) {
            throw new IllegalStateException("ticket " + ticket + " has no open intent");
        }
        entries.put(ticket, entry.with(outcome, at));
    }

    private void endAll(long at) {
        last = at;
        entries.replaceAll(
                (sequence, entry) ->
                        entry.ended() == Long.MAX_VALUE ? entry.with(entry.outcome(), at) : entry);
    }

    /** Writes recorded so far, by key, in the order of their intents. */
    synchronized Map<String, List<LedgerEntry>> byKey() {
        Map<String, List<LedgerEntry>> byKey = new HashMap<>();
        for (LedgerEntry entry : entries.values()) {
            byKey.computeIfAbsent(entry.key(), key -> new ArrayList<>()).add(entry);
        }
        return byKey;
    }

    /** Acknowledged writes so far. */
    public synchronized long acknowledged() {
        return count(Outcome.ACKNOWLEDGED);
    }

    /** Writes without an outcome so far. */
    public synchronized long unknown() {
        return count(Outcome.UNKNOWN);
    }

    private long count(Outcome outcome) {
        return entries.values().stream().filter(entry -> entry.outcome() == outcome).count();
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    private static String decoded(String text) {
        return URLDecoder.decode(text, StandardCharsets.UTF_8);
    }

    @Override
    public void close() throws IOException {
        if (file.isPresent()) {
            file.orElseThrow().close();
        }
    }
}
