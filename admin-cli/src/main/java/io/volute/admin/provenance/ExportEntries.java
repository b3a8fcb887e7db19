package io.volute.admin.provenance;

import io.volute.provenance.chain.ExportReader;
import io.volute.provenance.format.RefusedException;
import io.volute.provenance.record.ChainIdentity;
import io.volute.provenance.record.EntryRecord;
import io.volute.provenance.record.Frame;
import io.volute.provenance.secrecy.EntryReader;
import io.volute.provenance.secrecy.SharedTree;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** The entries of an export, one by one; nothing is verified. Not thread-safe. */
final class ExportEntries implements AutoCloseable {
    private final InputStream file;
    private final ExportReader frames;
    private final EntryReader reader;
    private Optional<ChainIdentity> chain = Optional.empty();

    /** An entry and whose it is. */
    record ChainEntry(ChainIdentity chain, EntryRecord record) {}

    private ExportEntries(InputStream file, EntryReader reader) throws IOException {
        this.file = file;
        this.frames = new ExportReader(file);
        this.reader = reader;
    }

    /**
     * Opens an export.
     *
     * @param reader receives the shared trees in the export
     */
    static ExportEntries open(Path export, EntryReader reader) throws IOException {
        InputStream file = new BufferedInputStream(Files.newInputStream(export));
        try {
            return new ExportEntries(file, reader);
        } catch (IOException e) {
            file.close();
            throw e;
        }
    }

    /**
     * The next one; empty at the end.
     *
     * @throws RefusedException when the file is damaged
     */
    Optional<ChainEntry> next() throws IOException {
        for (Optional<Frame> next = frames.next(); next.isPresent(); next = frames.next()) {
            Frame frame = next.get();
            switch (Frame.Type.values()[frame.type() - 1]) {
                case CHAIN -> chain = Optional.of(ChainIdentity.decode(frame.payload()));
                case TREE -> reader.learn(SharedTree.decode(frame.payload()));
                case ENTRY -> {
                    ChainIdentity whose =
                            chain.orElseThrow(
                                    () -> new RefusedException("an entry outside of a chain"));
                    return Optional.of(new ChainEntry(whose, EntryRecord.decode(frame.payload())));
                }
                case BATCH, END -> {
                    // For audits.
                }
            }
        }
        return Optional.empty();
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
