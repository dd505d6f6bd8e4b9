/*
 * PostgreSQL's client library, loaded on first use. It and its twenty libraries take
 * longer to load than most answers take, and only push needs it.
 */
#ifndef STORE_LIBPQ_H
#define STORE_LIBPQ_H

#include <libpq-fe.h>

#include "base/diag.h"

#define LIBPQ_FUNCTIONS(F)      \
	F(PQclear)              \
	F(PQconnectStartParams) \
	F(PQconninfoFree)       \
	F(PQconninfoParse)      \
	F(PQdb)                 \
	F(PQerrorMessage)       \
	F(PQexec)               \
	F(PQexecParams)         \
	F(PQfinish)             \
	F(PQgetResult)          \
	F(PQgetisnull)          \
	F(PQgetvalue)           \
	F(PQhost)               \
	F(PQntuples)            \
	F(PQputCopyData)        \
	F(PQputCopyEnd)         \
	F(PQreset)              \
	F(PQresultErrorField)   \
	F(PQresultStatus)       \
	F(PQserverVersion)      \
	F(PQsetNoticeProcessor) \
	F(PQstatus)

struct libpq {
#define LIBPQ_POINTER(name) __typeof__(name) *name;
	LIBPQ_FUNCTIONS(LIBPQ_POINTER)
#undef LIBPQ_POINTER
};

/* -1: it is not there, or not all of it. It stays loaded. */
int libpq_load(struct libpq *out, struct error *err);

#endif
