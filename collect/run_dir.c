/*
 * The directory of a new recording.
 * This room knows nothing of what is in it.
 */
#include "run_dir.h"

#include "random_id.h"
#include "regular.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The path has no slash at its end. */
static const char *name_in(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? slash + 1 : path;
}

/* Makes what is missing above the path's last name. */
static int parents_make(char *path)
{
	for (char *slash = strchr(path + 1, '/'); slash != NULL;
		slash = strchr(slash + 1, '/')) {
		int failed;

		*slash = '\0';
		failed = mkdir(path, 0777) != 0 && errno != EEXIST;
		*slash = '/';
		if (failed)
			return -1;
	}
	return 0;
}

/* Opens the directory above, which is made where it is missing. */
static int parent_open(const char *path)
{
	char *copy = strdup(path);
	int fd = -1;

	if (copy == NULL)
		return -1;
	if (parents_make(copy) == 0) {
		copy[name_in(copy) - copy] = '\0';
		fd = open(*copy != '\0' ? copy : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	}
	free(copy);
	return fd;
}

static int hidden_make(struct run_dir *dir)
{
	char id[17];

	if (random_id(id, 8) != 0)
		return -1;
	(void)snprintf(dir->hidden, sizeof dir->hidden, ".collect-%s", id);
	if (mkdirat(dir->parent_fd, dir->hidden, 0777) == 0) {
		dir->fd = openat(dir->parent_fd, dir->hidden,
			O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		dir->made = true;
		return dir->fd < 0 ? -1 : 0;
	}
	dir->hidden[0] = '\0';
	return -1;
}

int run_dir_make(struct run_dir *dir, const char *path)
{
	*dir = (struct run_dir){
		.path = path, .fd = directory_open(path), .parent_fd = -1};
	if (dir->fd >= 0)
		return 0;
	if (errno != ENOENT)
		return -1;
	dir->parent_fd = parent_open(path);
	return dir->parent_fd < 0 ? -1 : hidden_make(dir);
}

/* A directory that has something in it is not replaced. */
int run_dir_show(struct run_dir *dir)
{
	if (dir->hidden[0] == '\0')
		return 0;
	if (renameat(dir->parent_fd, dir->hidden, dir->parent_fd, name_in(dir->path)) !=
		0) {
		if (errno == ENOTEMPTY || errno == ENOTDIR)
			errno = EEXIST;
		return -1;
	}
	dir->hidden[0] = '\0';
	return 0;
}

static void files_remove(int dir_fd)
{
	int fd = dup(dir_fd);
	DIR *files = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *file;

	if (files == NULL) {
		if (fd >= 0)
			(void)close(fd);
		return;
	}
	while ((file = readdir(files)) != NULL)
		if (strcmp(file->d_name, ".") != 0 && strcmp(file->d_name, "..") != 0)
			(void)unlinkat(dir_fd, file->d_name, 0);
	(void)closedir(files);
}

void run_dir_withdraw(struct run_dir *dir)
{
	const bool hidden = dir->hidden[0] != '\0';

	if (dir->fd >= 0)
		files_remove(dir->fd);
	if (dir->made)
		(void)unlinkat(dir->parent_fd, hidden ? dir->hidden : name_in(dir->path),
			AT_REMOVEDIR);
	dir->hidden[0] = '\0';
	dir->made = false;
}

void run_dir_close(struct run_dir *dir)
{
	if (dir->hidden[0] != '\0')
		run_dir_withdraw(dir);
	if (dir->fd >= 0)
		(void)close(dir->fd);
	if (dir->parent_fd >= 0)
		(void)close(dir->parent_fd);
	*dir = (struct run_dir){.fd = -1, .parent_fd = -1};
}
