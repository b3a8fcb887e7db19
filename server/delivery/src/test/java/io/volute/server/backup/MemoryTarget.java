package io.volute.server.backup;

import io.volute.server.deposit.BackupTarget;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;

/** A target in memory, which a test can fail and change. */
final class MemoryTarget implements BackupTarget {
    final TreeMap<String, byte[]> objects = new TreeMap<>();

    /** Names of puts and deletes that fail. */
    Predicate<String> fails = name -> false;

    /** Runs before each list. */
    Runnable beforeList = () -> {};

    @Override
    public String text() {
        return "memory";
    }

    @Override
    public void put(String name, byte[] content) throws IOException {
        failIf(name);
        objects.put(name, content.clone());
    }

    @Override
    public Optional<byte[]> get(String name, int mostBytes) throws IOException {
        byte[] object = objects.get(name);
        if (object != null && object.length > mostBytes) {
            throw new IOException(name + " is longer than " + mostBytes + " bytes");
        }
        return Optional.ofNullable(object).map(byte[]::clone);
    }

    @Override
    public List<String> list(String prefix) {
        beforeList.run();
        return objects.keySet().stream().filter(name -> name.startsWith(prefix)).toList();
    }

    @Override
    public void delete(String name) throws IOException {
        failIf(name);
        objects.remove(name);
    }

    private void failIf(String name) throws IOException {
        if (fails.test(name)) {
            throw new IOException("killed at " + name);
        }
    }

    @Override
    public void close() {
        // Nothing is held.
    }
}
