package io.volute.server.admin;

import io.volute.server.s3.S3TestBed;
import io.volute.storage.Cube;
import io.volute.storage.Cubes;
import io.volute.versioning.StoreCubes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.UUID;

/** Further cubes of a store whose system cube the test has opened. */
record TestCubes(Path directory) implements StoreCubes.Files {
    private Path cube(String name) {
        return directory.resolve("cubes").resolve(name);
    }

    @Override
    public Cube open(String name) throws IOException {
        return S3TestBed.cube(cube(name), () -> AdminTestBed.NOW);
    }

    @Override
    public Optional<UUID> identity(String name) throws IOException {
        Path mark = cube(name).resolve("cube.mark");
        return Files.exists(mark)
                ? Optional.of(UUID.nameUUIDFromBytes(Files.readAllBytes(mark)))
                : Optional.empty();
    }

    @Override
    public void allowSeveralCubes() {}

    @Override
    public void discardIndex(String name) throws IOException {
        Cubes.rebuildIndex(cube(name));
    }

    @Override
    public String retire(String name, int number) throws IOException {
        return Files.move(cube(name), cube(name + ".deleted-" + number)).toString();
    }
}
