package io.volute.testkit.sim;

import io.volute.testkit.sim.EntryChange.Edit;
import io.volute.testkit.sim.SimNode.Directory;
import io.volute.testkit.sim.SimNode.FileNode;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The tree of names, and the changes to it that are not durable yet. Guarded by its owner. */
final class Namespace {
    final Directory root;
    final List<EntryChange> pending = new ArrayList<>();

    Namespace(Directory root) {
        this.root = root;
    }

    static Path normal(Path path) {
        return path.toAbsolutePath().normalize();
    }

    Optional<SimNode> find(Path path) {
        SimNode node = root;
        for (Path name : normal(path)) {
            if (!(node instanceof Directory directory)
                    || !directory.current.containsKey(name.toString())) {
                return Optional.empty();
            }
            node = directory.current.get(name.toString());
        }
        return Optional.of(node);
    }

    Directory directory(Path path) throws NoSuchFileException {
        return find(path)
                .filter(Directory.class::isInstance)
                .map(Directory.class::cast)
                .orElseThrow(() -> new NoSuchFileException(path.toString(), null, "no directory"));
    }

    FileNode file(Path path) throws NoSuchFileException {
        return find(path)
                .filter(FileNode.class::isInstance)
                .map(FileNode.class::cast)
                .orElseThrow(() -> new NoSuchFileException(path.toString(), null, "no file"));
    }

    Directory parent(Path path) throws NoSuchFileException {
        return directory(normal(path).getParent());
    }

    Edit put(Path path, SimNode node) throws NoSuchFileException {
        return edit(path, Optional.of(node));
    }

    Edit remove(Path path) throws NoSuchFileException {
        return edit(path, Optional.empty());
    }

    private Edit edit(Path path, Optional<SimNode> node) throws NoSuchFileException {
        String name = path.getFileName().toString();
        Directory directory = parent(path);
        return new Edit(directory, name, node, Optional.ofNullable(directory.current.get(name)));
    }

    void change(EntryChange change) {
        for (Edit edit : change.edits()) {
            if (edit.node().isPresent()) {
                edit.directory().current.put(edit.name(), edit.node().orElseThrow());
            } else {
                edit.directory().current.remove(edit.name());
            }
        }
        pending.add(change);
    }

    /** Makes the entries of a directory durable, with the earlier changes that they build on. */
    void force(Directory directory) {
        List<EntryChange> chosen = new ArrayList<>();
        for (EntryChange change : pending.reversed()) {
            if (change.touches(directory)
                    || chosen.stream().anyMatch(later -> later.dependsOn(change))) {
                chosen.add(change);
            }
        }
        for (EntryChange change : chosen.reversed()) {
            for (Edit edit : change.edits()) {
                if (edit.node().isPresent()) {
                    edit.directory().durable.put(edit.name(), edit.node().orElseThrow());
                } else {
                    edit.directory().durable.remove(edit.name());
                }
            }
        }
        pending.removeAll(chosen);
    }

    /**
     * Removes the pending changes of a directory after a failed force. Readers still see these
     * changes, but a crash loses them.
     */
    void loseUnforced(Directory directory) {
        pending.removeIf(change -> change.touches(directory));
    }

    /** Returns the paths of all files that have a name now, sorted. */
    List<Path> paths() {
        List<Path> found = new ArrayList<>();
        addPaths(Path.of("/"), root, found);
        return found;
    }

    private static void addPaths(Path path, Directory directory, List<Path> found) {
        directory.current.forEach(
                (name, node) -> {
                    switch (node) {
                        case FileNode file -> found.add(path.resolve(name));
                        case Directory child -> addPaths(path.resolve(name), child, found);
                    }
                });
    }

    /** Every file that has a name now or may have one after a crash. */
    Set<FileNode> files() {
        Set<FileNode> found = Collections.newSetFromMap(new IdentityHashMap<>());
        collect(root, found, Collections.newSetFromMap(new IdentityHashMap<>()));
        for (EntryChange change : pending) {
            for (Edit edit : change.edits()) {
                edit.node().ifPresent(node -> add(node, found));
            }
        }
        return found;
    }

    private static void collect(Directory directory, Set<FileNode> found, Set<Directory> seen) {
        if (!seen.add(directory)) {
            return;
        }
        List<SimNode> nodes = new ArrayList<>(directory.current.values());
        nodes.addAll(directory.durable.values());
        for (SimNode node : nodes) {
            switch (node) {
                case FileNode file -> found.add(file);
                case Directory child -> collect(child, found, seen);
            }
        }
    }

    private static void add(SimNode node, Set<FileNode> found) {
        if (node instanceof FileNode file) {
            found.add(file);
        }
    }
}
